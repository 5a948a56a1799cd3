// SPDX-License-Identifier: BSD-3-Clause
// One slab of the page: up to kSlabSpans spans that arrived together, as columns.
// In: spans with their thread and kind numbers; out: bytes (doc/page-format.md) and a directory
// row.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emit/page/column.h"
#include "emit/page/cpu_overview.h"
#include "emit/page/kind_columns.h"
#include "emit/page/page_tables.h"
#include "emit/page/slab_calls.h"
#include "model/span.h"

namespace kutrace::emit {

struct SlabSpan {
  Ns start = 0;
  Ns duration = 0;
  std::uint64_t value = 0;
  KindIndex kind = 0;
  ThreadIndex thread = kNoThread;
  ThreadIndex other = kNoThread;
  CpuId cpu = kNoCpu;
  CallId call = CallId::kNone;
  std::uint32_t rpc = 0;
  std::uint32_t arg = 0;
  std::uint16_t result = 0;
  SpanKind what = SpanKind::kUser;
  std::uint8_t ipc = 0;
  bool has_result = false;
  CallPiece piece = CallPiece::kOfOther;
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

class Slab {
 public:
  Slab() = default;
  // Moved, never copied: by_cpu_ points into the map, whose nodes move along.
  Slab(Slab&&) = default;
  Slab& operator=(Slab&&) = default;
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab() = default;

  // Empty again, with its room.
  void clear();
  void add(const SlabSpan& span);
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
  Ns begin() const { return begin_; }
  Ns end() const { return end_; }

  // Removes the overlays longer than `limit`; they would make every view need this slab.
  std::vector<SlabSpan> take_long_overlays(Ns limit);
  const std::vector<SlabSpan>& overlays() const { return overlays_; }
  // Fills the directory row, except for sizes and checksum.
  SlabRow row() const;
  void add_to(KindTotals& totals) const;
  void add_to(CpuOverview& overview) const;
  // `columns` is kept for its room.
  Column encode(ColumnsByKind& columns);

 private:
  std::vector<SlabSpan>& section(CpuId cpu);
  // What all spans have in common.
  struct Traits {
    Ns unit = 1;           // divides all times
    bool has_ipc = false;  // some execution has it
    bool has_rpc = false;
    bool has_pieces = false;  // some are not whole calls
  };

  void fill(ColumnsByKind& columns, const Traits& traits) const;
  void settle_calls();
  void sort_overlays();
  Traits traits() const;
  Column section_heads(Ns base, Ns unit) const;
  Column overlay_columns(Ns base, Ns unit) const;

  std::map<CpuId, std::vector<SlabSpan>> sections_;
  std::vector<std::vector<SlabSpan>> spare_;    // empty ones, for their room
  std::vector<std::vector<SlabSpan>*> by_cpu_;  // the same by CPU number, null for none
  std::vector<SlabSpan> overlays_;
  SlabCalls calls_;
  CallId newest_before_ = CallId::kNone;  // calls up to this one began in slabs before
  CallId newest_ = CallId::kNone;
  std::size_t size_ = 0;
  Ns begin_ = 0;
  Ns end_ = 0;
};

}  // namespace kutrace::emit
