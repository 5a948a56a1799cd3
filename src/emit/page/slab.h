// SPDX-License-Identifier: BSD-3-Clause
// One slab of the page: up to kSlabSpans spans that arrived together, as columns.
// In: spans with their thread and kind numbers; out: bytes (doc/page-format.md) and a directory
// row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "emit/page/column.h"
#include "emit/page/cpu_overview.h"
#include "emit/page/kind_columns.h"
#include "emit/page/page_tables.h"
#include "emit/page/slab_calls.h"
#include "emit/page/time_unit.h"
#include "model/span.h"

namespace kutrace::emit {

struct SlabSpan {
  Ns start = 0;
  Ns duration = 0;
  KindIndex kind = 0;
  ThreadIndex thread = kNoThread;
  CpuId cpu = kNoCpu;
  CallId call = CallId::kNone;
  std::uint32_t rpc = 0;
  std::uint32_t arg = 0;
  std::uint16_t result = 0;
  SpanKind what = SpanKind::kUser;
  std::uint8_t ipc = 0;
  bool has_result = false;
  CallPiece piece = CallPiece::kOfOther;

  Ns end() const { return start + duration; }
};
// There are as many as a slab has spans, and three slabs.
static_assert(sizeof(SlabSpan) == 48);

// One that lies over the CPUs' timelines.
struct SlabOverlay : SlabSpan {
  ThreadIndex other = kNoThread;
  std::uint64_t value = 0;
};

// Whose a call is of which this is the only or last piece: what interrupts a thread is a CPU's.
ThreadIndex call_owner(const SlabSpan& span);

// The time that one CPU's spans of a slab cover.
struct SectionRange {
  CpuId cpu = 0;
  std::uint64_t spans = 0;
  Ns begin = 0;
  Ns end = 0;
};

struct SlabRow {
  std::vector<SectionRange> sections;
  std::uint64_t overlays = 0;  // spans that lie over the CPUs' timelines
  Ns overlay_begin = 0;
  Ns overlay_end = 0;
  std::uint32_t packed_size = 0;
  std::uint32_t raw_size = 0;
  std::uint32_t crc = 0;
};

// Room for what a slab is encoded into, used by one after the other.
struct SlabColumns {
  std::vector<std::uint32_t> by_cpu;  // places of executions, CPU after CPU
  ColumnsByKind by_kind;
  Column kinds;
  Column gaps;
  Column threads;
  Column scratch;
  Column overlays;
  Column all;
};

class Slab {
 public:
  // Empty again, with its room.
  void clear();
  void add(const SlabSpan& execution) {
    reach(execution);
    if (executions_.capacity() == 0) [[unlikely]] {
      make_room();
    }
    CpuSpans& spans = of_cpu(execution.cpu);
    spans.last = static_cast<std::uint32_t>(executions_.size());
    if (spans.count++ == 0) spans.first = spans.last;
    executions_.push_back(execution);
  }
  void add(const SlabOverlay& overlay) {
    reach(overlay);
    overlays_.push_back(overlay);
  }
  // The last span of the call's CPU, if it may be all there is of that call; null else.
  SlabSpan* only_piece(const Call& call);
  // The call is over, after all its pieces. False if it does not lie within this slab.
  bool add(const Call& call, const CallPlace& place);
  // Wherever it lies, for what every view has.
  void add_far(const Call& call, const CallPlace& place);
  std::size_t calls() const { return calls_.size(); }
  // Calls up to this one began before the next slab, which is to be told so.
  CallId newest_call() const { return newest_; }
  void begins_after(CallId newest) { newest_before_ = newest_ = newest; }
  std::size_t size() const { return size_; }
  // Of one that is not empty.
  Ns begin() const { return begin_; }
  Ns end() const { return end_; }

  // Removes the overlays longer than `limit`; they would make every view need this slab.
  std::vector<SlabOverlay> take_long_overlays(Ns limit);
  const std::vector<SlabOverlay>& overlays() const { return overlays_; }
  // Fills the directory row, except for sizes and checksum.
  SlabRow row() const;
  void add_to(KindTotals& totals) const;
  void add_to(CpuOverview& overview) const;
  // Valid until the next slab is encoded into `columns`, which is kept for its room.
  const Column& encode(SlabColumns& columns);

 private:
  // A CPU's executions, by their places among all.
  struct CpuSpans {
    std::uint32_t count = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  CpuSpans& of_cpu(CpuId cpu) {
    if (cpu >= cpus_.size()) [[unlikely]] {
      cpus_.resize(cpu + std::size_t{1});
    }
    return cpus_[cpu];
  }
  void make_room();
  void reach(const SlabSpan& span) {
    begin_ = std::min(begin_, span.start);
    end_ = std::max(end_, span.end());
    newest_ = std::max(newest_, span.call);
    ++size_;
  }
  // What all spans have in common.
  struct Traits {
    Ns unit = 1;           // divides all times
    bool has_ipc = false;  // some execution has it
    bool has_rpc = false;
    bool has_pieces = false;  // some are not whole calls
  };

  void fill(SlabColumns& columns, const Traits& traits) const;
  void sort_by_cpu(std::vector<std::uint32_t>& order) const;
  void settle_calls();
  void sort_overlays();
  Traits traits() const;
  // Times count from here.
  Ns base() const { return size_ == 0 ? 0 : begin_; }
  Column section_heads(const TimeUnit& unit) const;
  void put_overlays(SlabColumns& columns, const TimeUnit& unit) const;

  std::vector<SlabSpan> executions_;  // as they came: of each CPU in order of time
  std::vector<CpuSpans> cpus_;        // by number
  std::vector<SlabOverlay> overlays_;
  SlabCalls calls_;
  CallId newest_before_ = CallId::kNone;  // calls up to this one began in slabs before
  CallId newest_ = CallId::kNone;
  std::size_t size_ = 0;
  Ns begin_ = std::numeric_limits<Ns>::max();
  Ns end_ = std::numeric_limits<Ns>::min();
};

}  // namespace kutrace::emit
