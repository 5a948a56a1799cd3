// SPDX-License-Identifier: BSD-3-Clause
// Which offsets and drifts between two clocks are possible. In: bounds of the offset at moments,
// one per message that was seen at both ends; out: the range of the offset at any moment, and one
// offset and drift within.
//
// A message arrives after it was sent. Of a clock whose offset from the other is a + b x at moment
// x, each message says a + b x <= y, or >= y, by its direction. What fits all of them is a convex
// polygon in (a, b); each further message cuts a piece off.
#pragma once

#include <optional>
#include <vector>

namespace kutrace::align {

// Moments in seconds and offsets in nanoseconds, both from where the region begins.
class OffsetRegion {
 public:
  // Clocks that drift more are broken: quartz stays within 1e-4.
  static constexpr double kMostDrift = 1e6;  // ns a second
  // An offset farther away than this is not bounded by any message.
  static constexpr double kFarthest = 1e13;  // ns

  enum class Bound { kAtLeast, kAtMost };

  OffsetRegion();

  // What the message says; false: nothing fits it and all before, and the region stays as it was.
  bool add(double moment, double offset, Bound bound);

  struct Range {
    double least = 0;
    double most = 0;
  };
  Range at(double moment) const;

  struct Line {
    double offset = 0;  // at moment 0
    double drift = 0;   // ns a second
    double at(double moment) const { return offset + drift * moment; }
  };
  // In the region's middle.
  Line middle() const;

 private:
  struct Corner {
    double offset = 0;
    double drift = 0;
  };

  std::vector<Corner> corners_;  // in order around it
  std::vector<Corner> room_;
};

}  // namespace kutrace::align
