// SPDX-License-Identifier: BSD-3-Clause
// Numbers keys in the order of their appearance, fast where few keys make up most of the look-ups.
// In: a key; out: its number, and whether it is new. All stand in one table, so that a key that was
// not met of late costs one access to memory; at least a quarter of the table is free.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/prefetch.h"

namespace kutrace {

template <typename Key, typename Hash, std::size_t kRecent>
class RecentIndex {
 public:
  struct Found {
    std::uint32_t number = 0;
    bool added = false;
  };

  Found find_or_add(const Key& key) {
    const std::size_t hash = Hash{}(key);
    Slot& recent = recent_[hash & (kRecent - 1)];
    if (recent.number != kNone && recent.key == key) return {recent.number, false};
    if (4 * (count_ + std::size_t{1}) > 3 * slots_.size()) grow();
    Slot& slot = slots_[place(hash, key)];
    const bool added = slot.number == kNone;
    if (added) slot = {key, count_++};
    recent = slot;
    return {slot.number, added};
  }
  // The number of a key that was added.
  std::optional<std::uint32_t> find(const Key& key) const {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[place(Hash{}(key), key)];
    return slot.number == kNone ? std::nullopt : std::optional(slot.number);
  }
  std::size_t size() const { return count_; }
  // The key will be looked up soon.
  void prefetch(const Key& key) const {
    if (!slots_.empty()) kutrace::prefetch(&slots_[Hash{}(key) & (slots_.size() - 1)]);
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kFewestSlots = 16;
  struct Slot {
    Key key{};
    std::uint32_t number = kNone;
  };

  // Where the key stands, or would.
  std::size_t place(std::size_t hash, const Key& key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].number != kNone && !(slots_[at].key == key)) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> before(slots_.empty() ? kFewestSlots : 2 * slots_.size());
    std::swap(before, slots_);
    for (const Slot& slot : before) {
      if (slot.number != kNone) slots_[place(Hash{}(slot.key), slot.key)] = slot;
    }
  }

  std::array<Slot, kRecent> recent_{};
  std::vector<Slot> slots_;  // a power of two of them
  std::uint32_t count_ = 0;
};

}  // namespace kutrace
