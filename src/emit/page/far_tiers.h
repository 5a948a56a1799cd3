// SPDX-License-Identifier: BSD-3-Clause
// What the page draws of overlays from afar, by their kinds, see far_tier.h. In: overlays, many at
// a time; out: those that stand for them.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "emit/page/far_tier.h"
#include "emit/page/slab_span.h"
#include "model/span.h"

namespace kutrace::emit {

// Overlays that are drawn from afar even where they are too many to be drawn one by one.
constexpr bool is_far(SpanKind kind) {
  return kind == SpanKind::kSample || kind == SpanKind::kFrequency || kind == SpanKind::kMark ||
         is_arc(kind);
}

class FarTiers {
 public:
  // Others than far ones are passed over.
  void add(std::span<const SlabOverlay> overlays);
  // Null: there are none.
  FarTier* of(SpanKind kind) { return tiers_[static_cast<std::size_t>(kind)].get(); }

 private:
  std::array<std::unique_ptr<FarTier>, kSpanKinds> tiers_;
  std::array<std::vector<const SlabOverlay*>, kSpanKinds> sorted_;  // by kind, of one add()
};

}  // namespace kutrace::emit
