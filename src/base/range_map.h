// SPDX-License-Identifier: BSD-3-Clause
// Which value holds at an address. In: ranges, where later ones cover earlier ones; out: the value
// at an address.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace kutrace {

template <typename T>
class RangeMap {
 public:
  struct Range {
    std::uint64_t end = 0;
    T value{};
  };

  // From now on `value` holds in [begin, end).
  void set(std::uint64_t begin, std::uint64_t end, T value) {
    if (begin >= end) return;
    cut_at(begin);
    cut_at(end);
    ranges_.erase(ranges_.lower_bound(begin), ranges_.lower_bound(end));
    ranges_.emplace(begin, Range{end, std::move(value)});
  }

  // Null if nothing was set there.
  const T* find(std::uint64_t at) const {
    const auto after = ranges_.upper_bound(at);
    if (after == ranges_.begin()) return nullptr;
    const Range& range = std::prev(after)->second;
    return at < range.end ? &range.value : nullptr;
  }

  void clear() { ranges_.clear(); }
  // By begin.
  const std::map<std::uint64_t, Range>& ranges() const { return ranges_; }

 private:
  // No range reaches from before `at` to behind it.
  void cut_at(std::uint64_t at) {
    const auto next = ranges_.lower_bound(at);
    if (next == ranges_.begin()) return;
    Range& before = std::prev(next)->second;
    if (before.end <= at) return;
    ranges_.emplace_hint(next, at, before);
    before.end = at;
  }

  std::map<std::uint64_t, Range> ranges_;  // by begin
};

}  // namespace kutrace
