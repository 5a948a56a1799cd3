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
#include "emit/page/deflate.h"
#include "emit/page/execution_columns.h"
#include "emit/page/far_calls.h"
#include "emit/page/page_tables.h"
#include "emit/page/run_sums.h"
#include "emit/page/slab_calls.h"
#include "emit/page/slab_span.h"
#include "emit/page/time_unit.h"
#include "model/span.h"

namespace kutrace::emit {

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
  std::vector<DeflatedSize> parts;  // by SlabPart, or none
};

// Room for what a slab is encoded into, used by one after the other.
struct SlabColumns {
  ExecutionColumns executions;
  Column scratch;
  Column overlays;
  Column all;
  std::vector<std::size_t> cuts;  // of all, in front of each SlabPart but the first
};

class Slab {
 public:
  // Empty again, with its room.
  void clear();
  // The CPU's next execution, which `fill` fills in where it stands.
  template <typename Fill>
  void add_execution(CpuId cpu, Fill fill) {
    if (executions_.capacity() == 0) [[unlikely]] {
      make_room();
    }
    CpuSpans& spans = of_cpu(cpu);
    spans.last = static_cast<std::uint32_t>(executions_.size());
    if (spans.count++ == 0) spans.first = spans.last;
    SlabSpan& execution = executions_.emplace_back();
    fill(execution);
    reach(execution);
  }
  void add(const SlabOverlay& overlay) {
    reach(overlay);
    overlays_.push_back(overlay);
  }
  // So many more are to come.
  void reserve_overlays(std::size_t count) { overlays_.reserve(overlays_.size() + count); }
  // One that every view has anyhow: it only stands among the overlays until drop_elsewhere().
  void add_elsewhere(const SlabOverlay& overlay) {
    overlays_.push_back(overlay);
    overlays_.back().elsewhere = true;
  }
  // The last span of the call's CPU, if it may be all there is of that call; null else.
  SlabSpan* only_piece(const Call& call);
  // The call is over, after all its pieces. False if it does not lie within this slab.
  bool add(const Call& call, const CallPlace& place);
  std::size_t calls() const { return calls_.size(); }
  // Calls up to this one began before the next slab, which is to be told so.
  CallId newest_call() const { return newest_; }
  void begins_after(CallId newest) { newest_before_ = newest_ = newest; }
  std::size_t size() const { return size_; }
  // Of one that is not empty.
  Ns begin() const { return begin_; }
  Ns end() const { return end_; }

  // The overlays longer than `limit`, which are elsewhere from now on; they would make every view
  // need this slab.
  std::vector<SlabOverlay> take_long_overlays(Ns limit);
  // In the order they came, if it has not been encoded.
  std::span<const SlabOverlay> overlays() const { return overlays_; }
  void drop_elsewhere();
  // After that. Fills the directory row, except for sizes and checksum.
  SlabRow row() const;
  // After encode(), `bytes` its columns have.
  void add_to(RunSums& runs, std::size_t bytes) const {
    runs.add(executions_, calls_.all(), overlays_, bytes);
  }
  // Calls that are more than one span, and overlays.
  void add_others_to(KindTotals& totals) const;
  // Adds all of it to `sums`. Valid until the next slab is encoded into `columns`, which is kept
  // for its room.
  const Column& encode(SlabColumns& columns, const SlabSums& sums);
  // One without executions, with calls that lie in no slab; nothing is added.
  const Column& encode_others(SlabColumns& columns, FarCalls& calls);

 private:
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
  void sort_overlays();
  void fold_overlays(CommonUnit& unit) const;
  void add_waits_to(Overview& threads) const;
  // All but the calls.
  Column& put_all(SlabColumns& columns, const TimeUnit& unit) const;
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
