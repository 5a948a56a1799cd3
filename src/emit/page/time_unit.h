// SPDX-License-Identifier: BSD-3-Clause
// Times as multiples of a unit that divides them all. In: times; out: how many units they are.
#pragma once

#include <bit>
#include <cstdint>

#include "base/units.h"

namespace kutrace::emit {

class TimeUnit {
 public:
  // Above 0. Ticks of most clocks are a power of two of ns long, or of none: no division then.
  explicit TimeUnit(Ns unit)
      : unit_(unit),
        shift_(std::has_single_bit(static_cast<std::uint64_t>(unit))
                   ? std::countr_zero(static_cast<std::uint64_t>(unit))
                   : kDivides) {}

  Ns unit() const { return unit_; }
  // Of a multiple of the unit, of either sign.
  std::int64_t count(Ns time) const { return shift_ != kDivides ? time >> shift_ : time / unit_; }
  // The same of one that is not below 0.
  std::uint64_t length(Ns time) const { return static_cast<std::uint64_t>(count(time)); }

 private:
  static constexpr int kDivides = -1;

  Ns unit_;
  int shift_;
};

}  // namespace kutrace::emit
