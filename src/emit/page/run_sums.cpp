// SPDX-License-Identifier: BSD-3-Clause
// Slabs to tables, tables to bytes, see run_sums.h.
#include "emit/page/run_sums.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "format/event_table.h"

namespace kutrace::emit {
namespace {

// Sums may be this part of the columns, which become about half as large when compressed.
constexpr std::size_t kSlabBytesPerByte = 40;
constexpr std::uint32_t kReasons = 32;
constexpr std::uint32_t kKinds{kExecutionKinds};

// What ends with a range or before it is in it, but a moment is not where the range ends.
Ns past(const SlabSpan& span) { return std::max(span.end(), span.start + 1); }

}  // namespace

bool RunSums::fits() const { return std::ranges::all_of(tables_, &DurationTable::fits); }

std::size_t RunSums::cost() const {
  return std::transform_reduce(tables_.begin(), tables_.end(), std::size_t{0}, std::plus<>(),
                               [](const DurationTable& table) { return table.cost(); });
}

void RunSums::add(const SlabSpan& execution) {
  const bool whole = is_call_kind(execution.what) && execution.piece == CallPiece::kWhole;
  of(whole ? Table::kWhole : Table::kPieces).add(execution.kind, execution.duration);
  const auto what = static_cast<std::uint32_t>(execution.what);
  of(Table::kCpus).add(execution.cpu * kKinds + what, execution.duration);
  reach(execution.start - (execution.duration == 0 ? 1 : 0), past(execution));
  if (!kind_names_thread(execution.what)) {
    of(Table::kThreads).add(execution.thread, execution.duration);
  }
}

// Of a range are calls that end in it, and not at its begin.
void RunSums::add(const SlabCall& call) {
  if (call.birth) return;
  of(Table::kCalls).add(call.kind, call.duration());
  reach(call.end - 1, call.end);
}

void RunSums::add_overlay(const SlabOverlay& overlay) {
  reach(overlay.start, past(overlay));
  of(Table::kOverlays).add(overlay.kind, overlay.duration);
  if (overlay.what == SpanKind::kWait) {
    of(Table::kWaits).add(overlay.thread * kReasons + overlay.reason, overlay.duration);
  }
}

void RunSums::begin_run() {
  run_ = {.first = run_.first + run_.slabs};
  bytes_ = 0;
  for (DurationTable& table : tables_) table.clear();
}

void RunSums::add(std::span<const SlabSpan> executions, std::span<const SlabCall> calls,
                  std::span<const SlabOverlay> overlays, std::size_t bytes) {
  constexpr std::size_t kPortion = 1024;  // what does not fit most often does not soon
  for (std::size_t at = 0; at < executions.size() && fits(); at += kPortion) {
    const std::size_t count = std::min(kPortion, executions.size() - at);
    for (const SlabSpan& execution : executions.subspan(at, count)) add(execution);
  }
  if (fits()) {
    for (const SlabCall& call : calls) add(call);
    for (const SlabOverlay& overlay : overlays) add_overlay(overlay);
  }
  ++run_.slabs;
  bytes_ += bytes;
  if (!fits()) return begin_run();
  if (cost() * kSlabBytesPerByte <= bytes_) {
    Column run;
    for (DurationTable& table : tables_) table.put_to(run);
    encoded_.put_column(run);
    runs_.push_back(run_);
    begin_run();
  } else if (run_.slabs == kMostSlabs) {
    begin_run();
  }
}

}  // namespace kutrace::emit
