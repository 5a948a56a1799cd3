// SPDX-License-Identifier: BSD-3-Clause
// The greatest time that divides others. In: times; out: it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#include "base/units.h"

namespace kutrace::emit {

// Settled after a few, most often at one tick, then only confirmed.
class CommonUnit {
 public:
  void fold(Ns time) {
    if ((time & below_) != 0) [[unlikely]] {
      refine(time);
    }
  }
  // All that the other one was told.
  void fold(const CommonUnit& other) { fold(other.unit_); }
  Ns found() const { return std::max<Ns>(unit_, 1); }

 private:
  void refine(Ns time) {
    unit_ = std::gcd(unit_, time);
    // Where it is a power of two, a mask tells what it divides; else all are looked at.
    below_ = std::has_single_bit(static_cast<std::uint64_t>(unit_)) ? unit_ - 1 : ~Ns{0};
  }

  Ns unit_ = 0;  // of none
  Ns below_ = ~Ns{0};
};

}  // namespace kutrace::emit
