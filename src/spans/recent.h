// SPDX-License-Identifier: BSD-3-Clause
// What was seen of late, by a number that is another's after a while, such as the hash of a packet.
// Each is taken once. In: values, in order of time; out: the last one of a number, as long as no
// more than kMost others came behind it; twice as many are kept at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

namespace kutrace::spans {

template <typename Value>
class Recent {
 public:
  static constexpr std::size_t kMost = 65'536;

  void put(std::uint32_t number, const Value& value) {
    older_.erase(number);
    newer_.insert_or_assign(number, value);
    if (newer_.size() < kMost) return;
    older_ = std::exchange(newer_, {});
  }

  std::optional<Value> take(std::uint32_t number) {
    for (Values* values : {&newer_, &older_})
      if (const auto node = values->extract(number); !node.empty()) return node.mapped();
    return std::nullopt;
  }

 private:
  using Values = std::unordered_map<std::uint32_t, Value>;

  Values newer_;
  Values older_;
};

}  // namespace kutrace::spans
