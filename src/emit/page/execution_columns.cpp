// SPDX-License-Identifier: BSD-3-Clause
// Two passes over spans, then one over each column, see execution_columns.h.
#include "emit/page/execution_columns.h"

#include <algorithm>
#include <utility>

#include "base/prefetch.h"

namespace kutrace::emit {
namespace {

constexpr std::size_t kAhead = 8;  // spans of a CPU lie scattered among those of others

// What a reader assumes of a thread until told otherwise: the kind's own, else the last one.
class ThreadGuess {
 public:
  bool right(const SlabSpan& span) {
    const bool known = kind_names_thread(span.what) || span.thread == last_;
    last_ = span.thread;
    return known;
  }

 private:
  ThreadIndex last_ = kIdleThread;
};

bool any_kind(SpanKind /*kind*/) { return true; }
bool is_syscall(SpanKind kind) { return kind == SpanKind::kSyscall; }

}  // namespace

void ExecutionColumns::survey(std::span<SlabSpan> spans, std::span<const CpuSpans> cpus, Ns base,
                              CommonUnit& unit, Overview& threads) {
  order_.resize(spans.size());
  put_order(cpus);
  sections_.clear();
  pieces_.clear();
  unsigned ipc = 0;
  std::uint32_t rpc = 0;
  CommonUnit common = unit;
  std::uint32_t place = 0;
  for (SlabSpan& span : spans) {
    order_[next_[span.cpu]++] = place++;
    if (span.kind >= sections_.size()) [[unlikely]] {
      sections_.resize(span.kind + std::size_t{1});
    }
    Section& section = sections_[span.kind];
    ++section.count;
    section.what = span.what;
    common.fold(span.start - base);
    common.fold(span.duration);
    ipc |= span.ipc;
    rpc |= span.rpc;
    threads.add(span);
    if (is_call_kind(span.what) && span.piece != CallPiece::kWhole) pieces_.push_back(&span);
  }
  threads.finish();
  unit = common;
  has_ipc_ = ipc != 0;
  has_rpc_ = rpc != 0;
}

void ExecutionColumns::clear() {
  order_.clear();
  sections_.clear();
  sorted_.clear();
  rpc_.clear();
  pieces_.clear();
  has_ipc_ = has_rpc_ = false;
  for (Column* column : {&kinds_, &gaps_, &threads_}) column->clear();
}

void ExecutionColumns::put_order(std::span<const CpuSpans> cpus) {
  next_.clear();
  std::uint32_t before = 0;
  for (const CpuSpans& spans : cpus) next_.push_back(std::exchange(before, before + spans.count));
}

void ExecutionColumns::arrange(std::span<const SlabSpan> spans, std::span<const CpuSpans> cpus,
                               const TimeUnit& unit, const SlabSums& sums) {
  std::uint32_t before = 0;
  for (Section& section : sections_) section.next = std::exchange(before, before + section.count);
  sorted_.resize(spans.size());
  rpc_.resize(has_rpc_ ? spans.size() : 0);
  for (Column* column : {&kinds_, &gaps_, &threads_}) column->clear();
  if (!spans.empty()) sums.cpus.begin_at(spans.front().start);

  std::uint8_t* kinds = kinds_.room_for(spans.size());
  std::size_t position = 0;
  std::size_t last_gap = 0;
  std::size_t last_thread = 0;
  for (CpuId cpu = 0; cpu < cpus.size(); ++cpu) {
    if (cpus[cpu].count == 0) continue;
    sums.cpus.expect(cpu, cpus[cpu].count);
    const std::span<KindTotal> totals = sums.totals.of_cpu(cpu, sections_.size());
    ThreadGuess guess;
    Ns clock = spans[cpus[cpu].first].start;
    for (const std::size_t end = position + cpus[cpu].count; position < end; ++position) {
      if (position + kAhead < order_.size()) prefetch(&spans[order_[position + kAhead]]);
      const SlabSpan& span = spans[order_[position]];
      kinds = Column::put_at(kinds, span.kind);
      if (span.start != clock) [[unlikely]] {
        gaps_.put(position - last_gap);
        gaps_.put_signed(unit.count(span.start - clock));
        last_gap = position;
      }
      if (!guess.right(span)) {
        threads_.put(position - last_thread);
        threads_.put(span.thread);
        last_thread = position;
      }
      clock = span.end();
      sums.cpus.add(span);
      totals[span.kind].add(span.duration);
      const std::uint32_t place = sections_[span.kind].next++;
      sorted_[place] = {
          unit.length(span.duration), span.arg, span.result, span.ipc, span.piece, span.has_result};
      if (has_rpc_) rpc_[place] = span.rpc;
    }
  }
  kinds_.ends_at(kinds);
  add_calls(sums.totals, unit.unit());
}

template <typename Chosen, typename With>
void ExecutionColumns::each_kind(Chosen chosen, With with) const {
  for (const Section& section : sections_) {
    if (section.count == 0 || !chosen(section.what)) continue;
    with(std::span(sorted_).subspan(section.next - section.count, section.count));
  }
}

template <typename Chosen, typename Value>
void ExecutionColumns::fill_scratch(Chosen chosen, Value value_of) {
  scratch_.clear();
  std::uint8_t* at = scratch_.room_for(sorted_.size());
  each_kind(chosen, [&](std::span<const Sorted> spans) {
    for (const Sorted& span : spans) at = Column::put_at(at, value_of(span));
  });
  scratch_.ends_at(at);
}

// Calls that are one span each.
void ExecutionColumns::add_calls(KindTotals& totals, Ns unit) const {
  for (KindIndex kind = 0; kind < sections_.size(); ++kind) {
    const Section& section = sections_[kind];
    if (section.count == 0 || !is_call_kind(section.what)) continue;
    KindTotal sum;
    for (const Sorted& span :
         std::span(sorted_).subspan(section.next - section.count, section.count)) {
      if (span.piece == CallPiece::kWhole) sum.add(static_cast<Ns>(span.duration) * unit);
    }
    if (sum.count != 0) totals.add_calls(kind, sum);
  }
}

void ExecutionColumns::put_durations(Column& out) {
  fill_scratch(any_kind, [](const Sorted& span) { return span.duration; });
  out.put_column(scratch_);
}

void ExecutionColumns::put_arguments(Column& out) {
  fill_scratch(kind_has_argument, [](const Sorted& span) { return std::uint64_t{span.arg}; });
  out.put_column(scratch_);
}

void ExecutionColumns::put_results(Column& out) {
  fill_scratch(is_syscall, [](const Sorted& span) { return result_number(span); });
  out.put_column(scratch_);
}

void ExecutionColumns::put_ipc(Column& out) {
  scratch_.clear();
  if (has_ipc_) fill_scratch(any_kind, [](const Sorted& span) { return std::uint64_t{span.ipc}; });
  out.put_column(scratch_);
}

void ExecutionColumns::put_rpc(Column& out) {
  scratch_.clear();
  for (const std::uint32_t rpc : rpc_) scratch_.put(rpc);
  out.put_column(scratch_);
}

const Column& ExecutionColumns::piece_column() {
  scratch_.clear();
  if (!pieces_.empty()) {
    fill_scratch(is_call_kind,
                 [](const Sorted& span) { return static_cast<std::uint64_t>(span.piece); });
  }
  return scratch_;
}

}  // namespace kutrace::emit
