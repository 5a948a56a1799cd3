// SPDX-License-Identifier: BSD-3-Clause
// Overlays to the tiers of their kinds, see far_tiers.h.
#include "emit/page/far_tiers.h"

namespace kutrace::emit {
namespace {

// Of a kind, so many stand for all where a view has too many slabs to decode them.
constexpr std::size_t kMostFar = 24576;

}  // namespace

void FarTiers::add(std::span<const SlabOverlay> overlays) {
  for (const SlabOverlay& overlay : overlays) {
    if (is_far(overlay.what)) sorted_[static_cast<std::size_t>(overlay.what)].push_back(&overlay);
  }
  for (std::size_t kind = 0; kind < kSpanKinds; ++kind) {
    if (sorted_[kind].empty()) continue;
    if (tiers_[kind] == nullptr) tiers_[kind] = std::make_unique<FarTier>(kMostFar);
    tiers_[kind]->add(sorted_[kind]);
    sorted_[kind].clear();
  }
}

}  // namespace kutrace::emit
