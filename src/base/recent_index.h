// SPDX-License-Identifier: BSD-3-Clause
// Numbers keys in the order of their appearance, fast where few keys make up most of the look-ups.
// In: a key; out: its number, and whether it is new.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace kutrace {

// `kRecent`, a power of two: so many keys that were looked up last are found by one comparison.
template <typename Key, typename Hash, std::size_t kRecent>
class RecentIndex {
 public:
  struct Found {
    std::uint32_t number = 0;
    bool added = false;
  };

  Found find_or_add(const Key& key) {
    Recent& recent = recent_[Hash{}(key) & (kRecent - 1)];
    if (recent.number != kNone && recent.key == key) return {recent.number, false};
    const auto [found, added] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size()));
    recent = {key, found->second};
    return {found->second, added};
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Recent {
    Key key{};
    std::uint32_t number = kNone;
  };
  std::array<Recent, kRecent> recent_{};
  std::unordered_map<Key, std::uint32_t, Hash> numbers_;
};

}  // namespace kutrace
