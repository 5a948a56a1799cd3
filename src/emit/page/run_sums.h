// SPDX-License-Identifier: BSD-3-Clause
// What runs of consecutive slabs sum up to, for questions about a range: of slabs that lie within
// it only the sums are read. In: slabs, one after the other; out: a block's bytes, and of which
// slabs each run is. A run is as long as it takes until its sums are a small part of its slabs;
// slabs whose sums would not be, as of very many threads, are in no run.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "emit/page/column.h"
#include "emit/page/duration_table.h"
#include "emit/page/slab_call.h"
#include "emit/page/slab_span.h"

namespace kutrace::emit {

// Slabs by number, and the range of time that has all of them in it: any other that begins there
// or before and ends there or after has, too.
struct SlabRun {
  std::size_t first = 0;
  std::size_t slabs = 0;
  Ns begin = std::numeric_limits<Ns>::max();
  Ns end = std::numeric_limits<Ns>::min();
};

class RunSums {
 public:
  // All of the next slab, once its spans are told what pieces they are: its executions, calls of
  // more than one span, and overlays; `bytes` its columns have.
  void add(std::span<const SlabSpan> executions, std::span<const SlabCall> calls,
           std::span<const SlabOverlay> overlays, std::size_t bytes);
  const std::vector<SlabRun>& runs() const { return runs_; }
  // Of all runs, see doc/page-format.md, Runs.
  const Column& encoded() const { return encoded_; }

 private:
  // Spans that are whole calls and all others by kind, calls of more than one span by kind,
  // executions by CPU and kind of span, those whose kind names no thread by thread, overlays by
  // kind, waits by thread and reason.
  enum class Table : std::uint8_t { kWhole, kPieces, kCalls, kCpus, kThreads, kOverlays, kWaits };
  static constexpr std::size_t kTables = 7;
  static constexpr std::size_t kMostSlabs = 16;

  DurationTable& of(Table table) { return tables_[static_cast<std::size_t>(table)]; }
  bool fits() const;
  std::size_t cost() const;
  void add(const SlabSpan& execution);
  void add(const SlabCall& call);
  void add_overlay(const SlabOverlay& overlay);
  void reach(Ns begin, Ns end) {
    run_.begin = std::min(run_.begin, begin);
    run_.end = std::max(run_.end, end);
  }
  // The next slab begins another one.
  void begin_run();

  std::array<DurationTable, kTables> tables_;
  std::vector<SlabRun> runs_;
  Column encoded_;
  SlabRun run_;  // that is not over
  std::size_t bytes_ = 0;
};

}  // namespace kutrace::emit
