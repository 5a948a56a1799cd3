// SPDX-License-Identifier: BSD-3-Clause
// Decoded slabs to spans, see page_slab.h.
#include "read/page/page_slab.h"

#include <utility>

#include "read/page/whole_call.h"

namespace kutrace::read {

void PageSlabs::hand_on(Span overlay) {
  nest_.advance(overlay.start);
  if (overlay.kind == SpanKind::kWait) nest_.place(overlay);
  sink_.push(overlay);
}

void PageSlabs::keep_long(DecodedSlab slab) {
  long_ = std::move(slab);
  overlays_.keep_long(long_.overlays);
  nest_.expect_long(long_.calls);
}

void PageSlabs::push(const DecodedSlab& slab) {
  overlays_.begin_slab(slab.overlays);
  nest_.expect(slab.calls);
  const auto to_sink = [this](const Span& span) { hand_on(span); };
  for (const PlaceInSlab& place : slab.order) {
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
