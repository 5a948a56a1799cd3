// SPDX-License-Identifier: BSD-3-Clause
// Cutting a convex polygon by half-planes.
#include "align/offset_region.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kutrace::align {

namespace {

// Times are whole nanoseconds, so two of them may say 1 ns more than is true.
constexpr double kRounding = 1;
// A smaller area is one of rounding: a line, or a point.
constexpr double kLeastArea = 1e-6;

}  // namespace

OffsetRegion::OffsetRegion()
    : corners_{{-kFarthest, -kMostDrift},
               {kFarthest, -kMostDrift},
               {kFarthest, kMostDrift},
               {-kFarthest, kMostDrift}} {}

bool OffsetRegion::add(double moment, double offset, Bound bound) {
  const double sign = bound == Bound::kAtMost ? 1 : -1;
  // How far outside of the half-plane; at most 0 within.
  const auto outside = [&](const Corner& corner) {
    return sign * (corner.offset + corner.drift * moment - offset) - kRounding;
  };
  room_.clear();
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const Corner& from = corners_[i];
    const Corner& to = corners_[(i + 1) % corners_.size()];
    const double before = outside(from);
    const double after = outside(to);
    if (before <= 0) room_.push_back(from);
    if ((before < 0 && after > 0) || (before > 0 && after < 0)) {
      const double share = before / (before - after);
      room_.push_back({from.offset + share * (to.offset - from.offset),
                       from.drift + share * (to.drift - from.drift)});
    }
  }
  if (room_.empty()) return false;
  corners_.swap(room_);
  return true;
}

OffsetRegion::Range OffsetRegion::at(double moment) const {
  const auto offset_of = [moment](const Corner& corner) {
    return corner.offset + corner.drift * moment;
  };
  Range range{offset_of(corners_.front()), offset_of(corners_.front())};
  for (const Corner& corner : corners_) {
    range.least = std::min(range.least, offset_of(corner));
    range.most = std::max(range.most, offset_of(corner));
  }
  return range;
}

// The centre of its area; of a region without one, the mean of its corners.
OffsetRegion::Line OffsetRegion::middle() const {
  const Corner& first = corners_.front();
  double area = 0;
  Line sum;
  Line mean;
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const Corner& corner = corners_[i];
    const Corner& next = corners_[(i + 1) % corners_.size()];
    // From the first corner, so that large numbers do not take the place of small differences.
    const Corner a{corner.offset - first.offset, corner.drift - first.drift};
    const Corner b{next.offset - first.offset, next.drift - first.drift};
    const double cross = a.offset * b.drift - b.offset * a.drift;
    area += cross;
    sum.offset += (a.offset + b.offset) * cross;
    sum.drift += (a.drift + b.drift) * cross;
    mean.offset += a.offset;
    mean.drift += a.drift;
  }
  const auto count = static_cast<double>(corners_.size());
  if (std::abs(area) < kLeastArea)
    return {first.offset + mean.offset / count, first.drift + mean.drift / count};
  return {first.offset + sum.offset / (3 * area), first.drift + sum.drift / (3 * area)};
}

}  // namespace kutrace::align
