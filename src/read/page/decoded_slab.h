// SPDX-License-Identifier: BSD-3-Clause
// What one slab of a page holds, decoded: executions as columns, what lies over them, and calls.
// Filled by SlabDecoder, taken apart by PageSlabs; its room is used again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/prefetch.h"
#include "format/page_format.h"
#include "model/call.h"
#include "model/page_result.h"
#include "model/span.h"
#include "model/span_slabs.h"
#include "read/page/slab_columns.h"

namespace kutrace::read {

// On whose stack a call stood: a thread's or, where that is none, an idle CPU's.
struct StackOwner {
  ThreadId thread = ThreadId::kNone;
  CpuId cpu = kNoCpu;
};

// Calls of a block, with their waits.
struct CallList {
  std::vector<Call> calls;
  std::vector<StackOwner> owners;  // of each
  std::vector<WaitTime> waits;     // in which those of the calls stand

  void clear() {
    calls.clear();
    owners.clear();
    waits.clear();
  }
};

// What lies over executions, in the order in which a trace tells it: waits and arcs where they
// end, a wakeup after the wait that it ended; others where they start.
class OverlayList {
 public:
  // By start; put_in_order() comes after all.
  void add(const Span& span) {
    order_.push_back({told_at(span), is_arc(span.kind), static_cast<std::uint32_t>(spans_.size())});
    spans_.push_back(span);
  }
  void put_in_order() { std::ranges::sort(order_); }
  void clear() {
    spans_.clear();
    order_.clear();
  }
  std::size_t size() const { return order_.size(); }
  // One is wanted soon: they stand by their starts.
  void fetch(std::size_t place) const {
    if (place < order_.size()) prefetch(&spans_[order_[place].place]);
  }
  const Span& at(std::size_t place) const { return spans_[order_[place].place]; }
  Ns told_at(std::size_t place) const { return order_[place].told_at; }
  // Whether one of a list comes before one of another list.
  static bool is_before(const Span& a, const Span& b) {
    return std::tuple(told_at(a), is_arc(a.kind)) < std::tuple(told_at(b), is_arc(b.kind));
  }

 private:
  struct Told {
    Ns told_at = 0;
    bool is_arc = false;
    std::uint32_t place = 0;

    auto operator<=>(const Told&) const = default;
  };

  static Ns told_at(const Span& span) {
    const bool is_told_at_end = span.kind == SpanKind::kWait || kutrace::is_arc(span.kind);
    return is_told_at_end ? span.start + span.duration : span.start;
  }

  std::vector<Span> spans_;
  std::vector<Told> order_;
};

// An execution of a slab.
struct PlaceInSlab {
  std::uint32_t position = 0;
  CpuId cpu = 0;
};

struct DecodedSlab {
  SlabColumns columns;
  std::vector<PlaceInSlab> order;  // executions by their start, those of each CPU as they stand
  std::vector<CallPiece> codes;    // of each execution; kOfOther of what can be no call
  std::vector<CallId> call_ids;    // of each execution; kNone: of a call in `calls`, or of none
  OverlayList overlays;
  CallList calls;               // those that are more than one span
  const char* unfit = nullptr;  // what did not fit: then the rest is worth nothing

  void clear() {
    order.clear();
    overlays.clear();
    calls.clear();
    unfit = nullptr;
  }
  // An execution is wanted soon: of many CPUs, too many rows are read in turn for the hardware to
  // foresee.
  void fetch(const PlaceInSlab& place) const {
    const std::uint32_t position = place.position;
    const auto fetch_from = [position](const auto& column) { prefetch(&column[position]); };
    fetch_from(columns.kinds);
    fetch_from(columns.threads);
    fetch_from(columns.results);
    fetch_from(columns.starts);
    fetch_from(columns.durations);
    fetch_from(columns.args);
    fetch_from(columns.rpcs);
    fetch_from(columns.ipcs);
    fetch_from(call_ids);
    fetch_from(codes);
  }
  Span execution(const PageTables& tables, const PlaceInSlab& place) const {
    const std::uint32_t position = place.position;
    Span span = tables.kinds[columns.kinds[position]];
    const ThreadIndex thread = columns.threads[position];
    const std::uint32_t result = columns.results[position];
    span.start = columns.starts[position];
    span.duration = columns.durations[position];
    span.arg = columns.args[position];
    span.result = result_of_page(result);
    span.cpu = place.cpu;
    span.pid = tables.pids[thread];
    span.thread = tables.ids[thread];
    span.rpc = columns.rpcs[position];
    span.call = call_ids[position];
    span.ipc = columns.ipcs[position];
    span.has_result = result != 0;
    return span;
  }
};

}  // namespace kutrace::read
