// SPDX-License-Identifier: BSD-3-Clause
// Where tables keep what they know of a cause. In: a cause; out: a number that differs for most.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reports/cause.h"

namespace kutrace::reports {

struct CauseHash {
  std::size_t operator()(const Cause& cause) const {
    std::uint64_t mixed = 0;
    for (const std::uint64_t part :
         {std::uint64_t{cause.at_end} << 17 | std::uint64_t{cause.of_lock} << 16 |
              std::uint64_t{static_cast<unsigned char>(cause.waited)} << 8 |
              static_cast<std::uint64_t>(cause.kind),
          std::uint64_t{cause.thread} << 32 | cause.other,
          std::uint64_t{cause.name} << 32 | cause.waker,
          std::uint64_t{cause.file} << 32 | cause.cpu}) {
      mixed = (mixed ^ part) * 0x9e37'79b9'7f4a'7c15ull;
      mixed ^= mixed >> 29;
    }
    return static_cast<std::size_t>(mixed);
  }
};

}  // namespace kutrace::reports
