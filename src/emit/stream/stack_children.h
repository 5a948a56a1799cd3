// SPDX-License-Identifier: BSD-3-Clause
// Which stack stands on which, of one thread: what a thread does it does while it runs, so all that
// is asked of it lies close together. In: a stack, and what is called from it; out: that stack's
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/names.h"

namespace kutrace::emit {

class StackChildren {
 public:
  // `next`, which is not 0, becomes its number if it has none yet.
  std::uint32_t number_of(std::uint32_t parent, NameId name, bool wait, std::uint32_t next) {
    if (4 * (count_ + std::size_t{1}) > 3 * slots_.size()) grow();
    const std::uint32_t what = name << 1 | static_cast<std::uint32_t>(wait);
    Slot& slot = slots_[place(parent, what)];
    if (slot.number == kFree) {
      slot = {parent, what, next};
      ++count_;
    }
    return slot.number;
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::size_t kFewestSlots = 8;
  struct Slot {
    std::uint32_t parent = 0;
    std::uint32_t what = 0;  // its name, and whether it waits
    std::uint32_t number = kFree;
  };

  // Where it stands, or would.
  std::size_t place(std::uint32_t parent, std::uint32_t what) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t key = std::uint64_t{parent} << 32 | what;
    std::size_t at = static_cast<std::size_t>((key * 0x9e37'79b9'7f4a'7c15ull) >> 40) & mask;
    while (slots_[at].number != kFree && !(slots_[at].parent == parent && slots_[at].what == what))
      at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> before(slots_.empty() ? kFewestSlots : 2 * slots_.size());
    std::swap(before, slots_);
    for (const Slot& slot : before) {
      if (slot.number != kFree) slots_[place(slot.parent, slot.what)] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them, at least a quarter free
  std::uint32_t count_ = 0;
};

}  // namespace kutrace::emit
