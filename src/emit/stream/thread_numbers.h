// SPDX-License-Identifier: BSD-3-Clause
// Numbers threads in the order of their appearance, so that what is kept of each lies close
// together in a table. In: a thread's number on its machine; out: its place.
#pragma once

#include <cstdint>

#include "base/by_number.h"

namespace kutrace::emit {

class ThreadNumbers {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Its place; a new one is behind all others.
  std::uint32_t of(Pid pid) {
    std::uint32_t& known = known_[pid];
    if (known == 0) known = ++count_;
    return known - 1;
  }
  // kNone: it did not appear yet.
  std::uint32_t find(Pid pid) const {
    const std::uint32_t* const known = known_.find(pid);
    return known == nullptr ? kNone : *known - 1;
  }

 private:
  ByNumber<std::uint32_t> known_;  // + 1
  std::uint32_t count_ = 0;
};

}  // namespace kutrace::emit
