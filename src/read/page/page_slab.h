// SPDX-License-Identifier: BSD-3-Clause
// The slabs of a page, back to spans. In: decoded slabs, one after the other, and the page's
// tables; out: executions in order of their start, each CPU's one after the other, among them the
// rest and calls (overlay_order.h, call_nest.h).
#pragma once

#include "model/span_sink.h"
#include "read/page/call_nest.h"
#include "read/page/decoded_slab.h"
#include "read/page/overlay_order.h"
#include "read/page/slab_columns.h"

namespace kutrace::read {

class PageSlabs {
 public:
  // `has_stacks`: the page tells on whose stack each call stood.
  PageSlabs(const PageTables& tables, bool has_stacks, SpanSink& sink)
      : tables_(tables), sink_(sink), nest_(sink, has_stacks) {}
  PageSlabs(const PageSlabs&) = delete;  // its parts look at each other
  PageSlabs& operator=(const PageSlabs&) = delete;

  // What lies in no slab, before all slabs.
  void keep_long(DecodedSlab slab);
  void push(const DecodedSlab& slab);
  void finish();

 private:
  void hand_on(Span overlay);
  void fetch_ahead(const DecodedSlab& slab, std::size_t now) const;

  const PageTables& tables_;
  SpanSink& sink_;
  CallNest nest_;
  OverlayOrder overlays_;
  DecodedSlab long_;
};

}  // namespace kutrace::read
