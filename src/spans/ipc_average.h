// SPDX-License-Identifier: BSD-3-Clause
// Instructions per cycle of a span that point events cut into several measurements: the trailer has
// a nibble for each piece, the span gets their time-weighted mean.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"

namespace kutrace {

class IpcAverage {
 public:
  // The time from the last call of either function to `now` ran at `nibble`.
  void piece(Ns now, std::uint8_t nibble) {
    const Ns length = now > from_ ? now - from_ : 0;
    weighted_ += static_cast<double>(kEighths[nibble & 15]) * static_cast<double>(length);
    weight_ += length;
    from_ = now;
  }
  // The same, and the span ends there: its nibble. The next one starts at `next`.
  std::uint8_t finish(Ns now, std::uint8_t nibble, Ns next) {
    const bool whole = weight_ == 0;
    piece(now, nibble);
    const std::uint8_t mean = whole ? nibble : nearest(weighted_ / static_cast<double>(weight_));
    weighted_ = 0;
    weight_ = 0;
    from_ = next;
    return mean;
  }

 private:
  // IPC of each nibble in eighths (doc/trace-format.md).
  static constexpr std::array<int, 16> kEighths = {0, 1,  2,  3,  4,  5,  6,  7,
                                                   8, 10, 12, 14, 16, 20, 24, 28};

  static std::uint8_t nearest(double eighths) {
    std::uint8_t nibble = 15;
    while (nibble > 0 && kEighths[nibble] > eighths) --nibble;
    return nibble;
  }

  Ns from_ = 0;
  double weighted_ = 0;
  Ns weight_ = 0;
};

}  // namespace kutrace
