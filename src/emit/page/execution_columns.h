// SPDX-License-Identifier: BSD-3-Clause
// Executions of a slab to columns, and to the sums that all slabs share. In: spans as they came;
// out: columns (doc/page-format.md).
//
// Each span is fetched twice: as they came, for what they have in common and for rows of threads;
// then CPU after CPU, for what stands in that order and for rows of CPUs. What stands in the order
// of kinds is put there meanwhile: equal kinds have alike durations, arguments and results, and
// compress better side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emit/page/column.h"
#include "emit/page/common_unit.h"
#include "emit/page/cpu_overview.h"
#include "emit/page/lod.h"
#include "emit/page/page_tables.h"
#include "emit/page/slab_span.h"
#include "emit/page/time_unit.h"

namespace kutrace::emit {

// A CPU's executions, by their places among all.
struct CpuSpans {
  std::uint32_t count = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// What slabs add to.
struct SlabSums {
  KindTotals& totals;
  CpuOverview& cpus;
  Overview& threads;
};

class ExecutionColumns {
 public:
  // Of no spans.
  void clear();
  // First: `cpus` by their numbers, `base` what times count from.
  void survey(std::span<SlabSpan> spans, std::span<const CpuSpans> cpus, Ns base, CommonUnit& unit,
              Overview& threads);
  // Those of calls that are not the whole call, for the columns that tell which pieces they are.
  std::span<SlabSpan*> pieces() { return pieces_; }
  // After that.
  void arrange(std::span<const SlabSpan> spans, std::span<const CpuSpans> cpus,
               const TimeUnit& unit, const SlabSums& sums);

  // Columns 3, 5 and 6 of a slab.
  const Column& kinds() const { return kinds_; }
  const Column& gaps() const { return gaps_; }
  const Column& threads() const { return threads_; }
  // Columns 4, 7 to 10, and what piece each span of a call is: each as a column of its own.
  void put_durations(Column& out);
  void put_arguments(Column& out);
  void put_results(Column& out);
  void put_ipc(Column& out);
  void put_rpc(Column& out);
  // Valid until the next of these is called.
  const Column& piece_column();

 private:
  // What stands in the order of kinds.
  struct Sorted {
    std::uint64_t duration = 0;  // in units
    std::uint32_t arg = 0;
    std::uint32_t result = 0;
    std::uint8_t ipc = 0;
    CallPiece piece = CallPiece::kOfOther;
    bool has_result = false;
  };
  struct Section {
    std::uint32_t count = 0;
    std::uint32_t next = 0;  // the place of its next span; at last the end of the section
    SpanKind what = SpanKind::kUser;
  };

  void put_order(std::span<const CpuSpans> cpus);
  void add_calls(KindTotals& totals, Ns unit) const;
  // Calls with(spans) for those of each kind that `chosen` chooses, kind after kind.
  template <typename Chosen, typename With>
  void each_kind(Chosen chosen, With with) const;
  template <typename Chosen, typename Value>
  void fill_scratch(Chosen chosen, Value value_of);

  std::vector<std::uint32_t> order_;  // places of spans, CPU after CPU
  std::vector<std::uint32_t> next_;   // of each CPU, in order_
  std::vector<Section> sections_;     // by kind
  std::vector<Sorted> sorted_;
  std::vector<std::uint32_t> rpc_;  // likewise, where there are some
  std::vector<SlabSpan*> pieces_;
  bool has_ipc_ = false;
  bool has_rpc_ = false;
  Column kinds_;
  Column gaps_;
  Column threads_;
  Column scratch_;
};

}  // namespace kutrace::emit
