// SPDX-License-Identifier: BSD-3-Clause
// The slabs of a page, back to spans. In: their bytes, of any origin, and the page's tables; out:
// executions in order of their start, each CPU's one after the other, among them the rest and calls
// (overlay_order.h, call_nest.h); or a word that says what does not fit. Nothing is emitted of a
// slab that does not fit.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "format/page_format.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "read/page/call_nest.h"
#include "read/page/overlay_order.h"
#include "read/page/slab_columns.h"

namespace kutrace::read {

// What slabs tell of calls.
enum class CallsTold : std::uint8_t { kNo, kWithoutStacks, kWithStacks };

class PageSlabs {
 public:
  PageSlabs(const PageTables& tables, CallsTold calls, SpanSink& sink)
      : tables_(tables),
        has_calls_(calls != CallsTold::kNo),
        has_stacks_(calls == CallsTold::kWithStacks),
        sink_(sink),
        nest_(sink, has_stacks_) {}

  // These return null if all of it was a slab's; else what was not. The block of what lies in no
  // slab comes first.
  const char* read_long(std::span<const std::uint8_t> bytes);
  const char* read(std::span<const std::uint8_t> bytes);
  void finish();

 private:
  void hand_on(Span overlay);

  const PageTables& tables_;
  const bool has_calls_;
  const bool has_stacks_;
  SpanSink& sink_;
  CallNest nest_;
  OverlayOrder overlays_;
  CallList long_calls_;
  std::uint32_t last_call_ = 0;  // its id
  // Kept for their room.
  SlabColumns columns_;
  std::vector<Span> spans_;
};

// Only what lies over the executions of a slab, or of the block of what lies in no slab; `rest`:
// the slab's last part.
const char* each_overlay(const PageTables& tables, const SlabBytes& head, ColumnReader rest,
                         const std::function<void(const SpanSlabs::Overlay&)>& take);

}  // namespace kutrace::read
