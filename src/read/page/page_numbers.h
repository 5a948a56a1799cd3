// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a page's columns as what they stand for. In: numbers of any origin; out: times and
// indices that can be, and whether all could.
#pragma once

#include <cstdint>
#include <limits>

#include "base/most_cpus.h"
#include "base/units.h"
#include "format/page_format.h"
#include "read/page/column_reader.h"

namespace kutrace::read {

constexpr Ns kMostTime = Ns{1} << 61;
constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostResult = 2 * std::uint64_t{kPageSuccess};

// Times in units to ns. What cannot be is remembered and counts as 0.
class PageClock {
 public:
  PageClock(std::uint64_t unit, Ns base) : unit_(unit), base_(base) {
    good_ = unit > 0 && unit <= static_cast<std::uint64_t>(kMostTime) && in_range(base);
    if (good_) most_ = static_cast<std::uint64_t>(kMostTime) / unit;
  }
  bool good() const { return good_; }
  Ns base() const { return base_; }

  Ns length(std::uint64_t units) {
    if (good_ && units <= most_) {
      return static_cast<Ns>(units * unit_);
    }
    good_ = false;
    return 0;
  }
  Ns signed_length(std::int64_t units) {
    const bool negative = units < 0;
    const Ns ns = length(negative ? 0 - static_cast<std::uint64_t>(units)
                                  : static_cast<std::uint64_t>(units));
    return negative ? -ns : ns;
  }
  // A moment and what comes after it.
  Ns after(Ns moment, Ns length) {
    const Ns sum = moment + length;
    if (!in_range(sum)) good_ = false;
    return good_ ? sum : 0;
  }

 private:
  static bool in_range(Ns time) { return time >= -kMostTime && time <= kMostTime; }

  std::uint64_t unit_;
  std::uint64_t most_ = 0;  // units that make a time
  Ns base_;
  bool good_ = false;
};

// A number that must not be more than `most`.
inline std::uint64_t take(ColumnReader& column, std::uint64_t most, bool& good) {
  const std::uint64_t value = column.next();
  if (value > most || column.failed()) good = false;
  return value <= most ? value : 0;
}

}  // namespace kutrace::read
