// SPDX-License-Identifier: BSD-3-Clause
// What the trailer measured of a span that moments cut into several pieces. In: the nibble of each
// piece and when it ended (ns); out: one nibble for the span. Instructions per cycle are averaged,
// cache misses are added up.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "base/units.h"
#include "kutrace/abi.h"

namespace kutrace::spans {

class IpcAverage {
 public:
  // `flags` of block 0 say what a nibble holds: IPC, misses, or two bits of each.
  explicit IpcAverage(unsigned flags = 0)
      : ipc_((flags & KUTRACE_FLAG_IPC) != 0), misses_((flags & KUTRACE_FLAG_LLC) != 0) {}

  // The time from the last call of either function to `now` was measured as `nibble`.
  void piece(Ns now, std::uint8_t nibble) {
    if (!ipc_ && !misses_) return;
    add(now, nibble);
    from_ = now;
    cut_ = true;
  }
  // The same, and the span ends there: its nibble. The next one starts at `next`.
  std::uint8_t finish(Ns now, std::uint8_t nibble, Ns next) {
    if (cut_) {
      add(now, nibble);
      nibble = whole();
      eighths_time_ = time_ = miss_sum_ = 0;
      cut_ = false;
    }
    from_ = next;
    return nibble;
  }

 private:
  // IPC of each nibble in eighths (doc/trace-format.md).
  static constexpr std::array<int, 16> kEighths = {0, 1,  2,  3,  4,  5,  6,  7,
                                                   8, 10, 12, 14, 16, 20, 24, 28};
  // Where both are recorded, the nibbles that the two bits of each stand for.
  static constexpr unsigned kIpcOfBoth = 0xc;
  static constexpr std::array<unsigned, 4> kMissesOfBoth = {0, 2, 5, 8};

  void add(Ns now, std::uint8_t nibble) {
    if (now <= from_) return;
    const auto length = static_cast<double>(now - from_);
    const unsigned ipc = misses_ ? (nibble & kIpcOfBoth) + 1 : nibble;
    const unsigned misses = ipc_ ? kMissesOfBoth[nibble & 3] : nibble;
    eighths_time_ += length * kEighths[ipc & 15];
    time_ += length;
    miss_sum_ += least_misses(misses);
  }

  std::uint8_t whole() const {
    const unsigned ipc = ipc_nibble(time_ == 0 ? 0 : eighths_time_ / time_);
    const unsigned misses = miss_nibble(miss_sum_);
    if (!misses_) return static_cast<std::uint8_t>(ipc);
    if (!ipc_) return static_cast<std::uint8_t>(misses);
    unsigned step = 3;
    while (step > 0 && kMissesOfBoth[step] > misses) --step;
    return static_cast<std::uint8_t>((ipc & kIpcOfBoth) | step);
  }

  static unsigned ipc_nibble(double eighths) {
    unsigned nibble = 15;
    while (nibble > 0 && kEighths[nibble] > eighths) --nibble;
    return nibble;
  }
  // Nibble 1: 1 to 7 misses; n from 2 on: from 2^(n+1).
  static double least_misses(unsigned nibble) {
    return nibble < 2 ? nibble : std::ldexp(1.0, static_cast<int>(nibble) + 1);
  }
  static unsigned miss_nibble(double misses) {
    unsigned nibble = 15;
    while (nibble > 0 && least_misses(nibble) > misses) --nibble;
    return nibble;
  }

  bool ipc_;
  bool misses_;
  bool cut_ = false;  // a piece came since the span began
  Ns from_ = 0;
  double eighths_time_ = 0;
  double time_ = 0;
  double miss_sum_ = 0;
};

}  // namespace kutrace::spans
