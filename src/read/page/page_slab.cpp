// SPDX-License-Identifier: BSD-3-Clause
// Decoded slabs to spans, see page_slab.h.
#include "read/page/page_slab.h"

#include <utility>

#include "read/page/whole_call.h"

namespace kutrace::read {
namespace {

// How long before an execution is handed on its columns are fetched and, where threads do not fit
// into the cache, what is known of its thread, step by step.
constexpr std::size_t kColumnsAhead = 24;
constexpr std::size_t kFar = 12;
constexpr std::size_t kNear = 6;

}  // namespace

void PageSlabs::hand_on(Span overlay) {
  const auto expect = [this](std::size_t others, Ahead ahead) {
    const Span* const soon = overlays_.after(others);
    if (soon == nullptr || soon->kind != SpanKind::kWait) return;
    nest_.fetch({soon->thread, soon->cpu}, ahead);
    sink_.expect(soon->pid, soon->thread, ahead);
  };
  if (tables_.ids.size() >= kManyThreads) {
    expect(2, Ahead::kFar);
    expect(1, Ahead::kNear);
  }
  nest_.advance(overlay.start);
  if (overlay.kind == SpanKind::kWait) nest_.place(overlay);
  sink_.push(overlay);
}

void PageSlabs::keep_long(DecodedSlab slab) {
  long_ = std::move(slab);
  overlays_.keep_long(long_.overlays);
  nest_.expect_long(long_.calls);
}

void PageSlabs::fetch_ahead(const DecodedSlab& slab, std::size_t now) const {
  const auto soon = [&](std::size_t ahead, auto fetch) {
    if (now + ahead < slab.order.size()) fetch(slab.order[now + ahead]);
  };
  soon(kColumnsAhead, [&](const PlaceInSlab& place) { slab.fetch(place); });
  if (tables_.ids.size() < kManyThreads) return;
  const auto expect = [&](const PlaceInSlab& place, Ahead ahead) {
    const ThreadIndex thread = slab.columns.threads[place.position];
    nest_.fetch({tables_.ids[thread], place.cpu}, ahead);
    sink_.expect(tables_.pids[thread], tables_.ids[thread], ahead);
  };
  soon(kFar, [&](const PlaceInSlab& place) { expect(place, Ahead::kFar); });
  soon(kNear, [&](const PlaceInSlab& place) { expect(place, Ahead::kNear); });
}

void PageSlabs::push(const DecodedSlab& slab) {
  overlays_.begin_slab(slab.overlays);
  nest_.expect(slab.calls);
  const auto to_sink = [this](const Span& span) { hand_on(span); };
  for (std::size_t i = 0; i < slab.order.size(); ++i) {
    const PlaceInSlab& place = slab.order[i];
    fetch_ahead(slab, i);
    Span span = slab.execution(tables_, place);
    overlays_.until(span.start, to_sink);
    nest_.advance(span.start);
    if (slab.codes[place.position] == CallPiece::kWhole) {
      Call call = whole_call(span);
      nest_.whole(span, call);
    } else {
      if (is_call_kind(span.kind)) nest_.place(span);
      sink_.push(span);
    }
  }
  overlays_.rest(to_sink);
  nest_.end_slab();
}

void PageSlabs::finish() {
  overlays_.finish([this](const Span& span) { hand_on(span); });
  nest_.finish();
}

}  // namespace kutrace::read
