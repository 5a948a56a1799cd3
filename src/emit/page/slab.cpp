// SPDX-License-Identifier: BSD-3-Clause
// Spans to columns, see slab.h and doc/page-format.md.
#include "emit/page/slab.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/large_pages.h"
#include "base/prefetch.h"

namespace kutrace::emit {
namespace {

constexpr std::size_t kAhead = 8;  // spans of a CPU lie scattered among those of others

std::uint64_t result_of(const SlabSpan& span) {
  return span.has_result ? std::uint64_t{span.result} + 1 : 0;
}

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

// What divides all times: settled after a few, most often at one tick, then only confirmed.
class CommonUnit {
 public:
  void fold(Ns time) {
    if ((time & below_) != 0) [[unlikely]] {
      refine(time);
    }
  }
  Ns found() const { return std::max<Ns>(unit_, 1); }

 private:
  void refine(Ns time) {
    unit_ = std::gcd(unit_, time);
    // Where it is a power of two, a mask tells what it divides; else all are looked at.
    below_ = std::has_single_bit(static_cast<std::uint64_t>(unit_)) ? unit_ - 1 : ~Ns{0};
  }

  Ns unit_ = 0;  // of none
  Ns below_ = ~Ns{0};
};

}  // namespace

void Slab::clear() {
  executions_.clear();
  cpus_.clear();
  overlays_.clear();
  calls_.clear();
  newest_before_ = newest_ = CallId::kNone;
  size_ = 0;
  begin_ = std::numeric_limits<Ns>::max();
  end_ = std::numeric_limits<Ns>::min();
}

// For all that it can hold: what is not used is never touched.
void Slab::make_room() {
  executions_.reserve(kSlabSpans);
  overlays_.reserve(kSlabSpans);
  prefer_large_pages(executions_.data(), kSlabSpans * sizeof(SlabSpan));
  prefer_large_pages(overlays_.data(), kSlabSpans * sizeof(SlabOverlay));
}

SlabSpan* Slab::only_piece(const Call& call) {
  if (call.pieces != 1 || call.cpu >= cpus_.size() || cpus_[call.cpu].count == 0) return nullptr;
  SlabSpan& last = executions_[cpus_[call.cpu].last];
  const bool is_all =
      last.call == call.id && last.what == call.kind && last.start == call.begin &&
      last.duration == call.duration() && call.own == call.duration() && call.on_cpu == call.own &&
      call.blocked == 0 && !call.begin_inferred && !call.end_inferred && last.arg == call.arg &&
      last.piece == CallPiece::kOfOther &&
      shows_result(last, result_code(call.kind, call.has_result, low_bits(call.result)));
  return is_all ? &last : nullptr;
}

bool Slab::add(const Call& call, const CallPlace& place) {
  newest_ = std::max(newest_, call.id);
  const bool within =
      size_ != 0 && call.id > newest_before_ && call.begin >= begin_ && call.end <= end_;
  if (within) calls_.add(call, place);
  return within;
}

void Slab::add_far(const Call& call, const CallPlace& place) { calls_.add(call, place); }

std::vector<SlabOverlay> Slab::take_long_overlays(Ns limit) {
  std::vector<SlabOverlay> taken;
  std::erase_if(overlays_, [&](const SlabOverlay& span) {
    if (span.duration <= limit) return false;
    taken.push_back(span);
    return true;
  });
  return taken;
}

SlabRow Slab::row() const {
  SlabRow row;
  for (CpuId cpu = 0; cpu < cpus_.size(); ++cpu) {
    const CpuSpans& spans = cpus_[cpu];
    if (spans.count == 0) continue;
    row.sections.push_back(
        {cpu, spans.count, executions_[spans.first].start, executions_[spans.last].end()});
  }
  row.overlays = overlays_.size();
  for (std::size_t i = 0; i < overlays_.size(); i++) {
    const SlabOverlay& overlay = overlays_[i];
    row.overlay_begin = i == 0 ? overlay.start : std::min(row.overlay_begin, overlay.start);
    row.overlay_end = std::max(row.overlay_end, overlay.end());
  }
  return row;
}

Slab::Traits Slab::traits() const {
  CommonUnit unit;
  unsigned ipc = 0;
  std::uint32_t rpc = 0;
  bool pieces = false;
  for (const SlabSpan& span : executions_) {
    unit.fold(span.start - base());
    unit.fold(span.duration);
    ipc |= span.ipc;
    rpc |= span.rpc;
    pieces |= is_call_kind(span.what) && span.piece != CallPiece::kWhole;
  }
  for (const SlabOverlay& span : overlays_) {
    unit.fold(span.start - base());
    unit.fold(span.duration);
  }
  calls_.each_time(base(), [&unit](Ns time) { unit.fold(time); });
  return {.unit = unit.found(), .has_ipc = ipc != 0, .has_rpc = rpc != 0, .has_pieces = pieces};
}

void Slab::add_to(KindTotals& totals) const {
  for (const SlabSpan& span : executions_) {
    totals.add_execution(span.cpu, span.kind, span.duration);
    if (span.piece == CallPiece::kWhole) totals.add_call(span.kind, span.duration);
  }
  calls_.add_to(totals);
  for (const SlabOverlay& span : overlays_) totals.add(span.kind, span.duration);
}

void Slab::add_to(CpuOverview& overview) const { overview.add(executions_); }

void Slab::sort_by_cpu(std::vector<std::uint32_t>& order) const {
  std::vector<std::uint32_t> next;
  std::uint32_t before = 0;
  for (const CpuSpans& spans : cpus_) next.push_back(std::exchange(before, before + spans.count));
  order.resize(executions_.size());
  for (std::uint32_t i = 0; i < executions_.size(); ++i) order[next[executions_[i].cpu]++] = i;
}

// A thread goes from CPU to CPU: its pieces are wanted in order of time, and so are all that came
// in it, but for a little slack between CPUs.
void Slab::settle_calls() {
  std::vector<SlabSpan*> pieces;
  for (SlabSpan& span : executions_) {
    if (is_call_kind(span.what) && span.piece != CallPiece::kWhole) pieces.push_back(&span);
  }
  std::ranges::sort(pieces, [](const SlabSpan* a, const SlabSpan* b) {
    return std::tie(a->start, a->cpu, a) < std::tie(b->start, b->cpu, b);
  });
  calls_.settle(pieces);
}

// Spans are long: few of them are moved.
void Slab::sort_overlays() {
  if (std::ranges::is_sorted(overlays_, {}, &SlabOverlay::start)) return;
  std::vector<std::pair<Ns, std::uint32_t>> order;
  order.reserve(overlays_.size());
  for (const SlabOverlay& span : overlays_) {
    order.emplace_back(span.start, static_cast<std::uint32_t>(order.size()));
  }
  std::ranges::sort(order);
  std::vector<SlabOverlay> sorted;
  sorted.reserve(overlays_.size());
  for (const auto& [start, place] : order) sorted.push_back(overlays_[place]);
  std::ranges::copy(sorted, overlays_.begin());
}

Column Slab::section_heads(const TimeUnit& unit) const {
  Column heads;
  heads.put(static_cast<std::size_t>(
      std::ranges::count_if(cpus_, [](const CpuSpans& spans) { return spans.count != 0; })));
  for (CpuId cpu = 0; cpu < cpus_.size(); ++cpu) {
    const CpuSpans& spans = cpus_[cpu];
    if (spans.count == 0) continue;
    heads.put(cpu);
    heads.put(spans.count);
    heads.put(unit.length(executions_[spans.first].start - base()));
  }
  return heads;
}

void Slab::put_overlays(SlabColumns& columns, const TimeUnit& unit) const {
  Column& out = columns.overlays;
  Column& scratch = columns.scratch;
  const auto put = [&](auto value_of) {
    scratch.clear();
    for (const SlabOverlay& span : overlays_) scratch.put(value_of(span));
    out.put_column(scratch);
  };
  // Only written where some span has a value other than zero.
  const auto put_sparse = [&](auto value_of) {
    const auto is_some = [&](const SlabOverlay& span) { return value_of(span) != 0; };
    if (std::ranges::any_of(overlays_, is_some)) return put(value_of);
    scratch.clear();
    out.put_column(scratch);
  };
  out.clear();
  out.put(overlays_.size());
  put([](const SlabOverlay& span) { return span.kind; });
  Ns last = base();
  put([&](const SlabOverlay& span) {
    return unit.length(span.start - std::exchange(last, span.start));
  });
  put([&](const SlabOverlay& span) { return unit.length(span.duration); });
  put([](const SlabOverlay& span) { return span.cpu == kNoCpu ? 0 : std::uint64_t{span.cpu} + 1; });
  put([](const SlabOverlay& span) { return span.thread; });
  put_sparse([](const SlabOverlay& span) { return span.other; });
  put_sparse([](const SlabOverlay& span) { return span.arg; });
  put_sparse([](const SlabOverlay& span) { return span.rpc; });
  put_sparse([](const SlabOverlay& span) { return span.value; });
  put_sparse(result_of);
  put_sparse([](const SlabOverlay& span) { return span.ipc; });
}

// What each execution is, and what stands in the order of kinds.
void Slab::fill(SlabColumns& columns, const Traits& traits) const {
  const TimeUnit unit(traits.unit);
  for (Column* column : {&columns.kinds, &columns.gaps, &columns.threads}) column->clear();
  columns.by_kind.clear();
  std::uint64_t last_gap = 0;
  std::uint64_t last_thread = 0;
  CpuId cpu = kNoCpu;
  ThreadGuess guess;
  Ns clock = 0;
  sort_by_cpu(columns.by_cpu);
  const std::span<const std::uint32_t> order = columns.by_cpu;
  for (std::uint64_t position = 0; position < order.size(); ++position) {
    if (position + kAhead < order.size()) prefetch(&executions_[order[position + kAhead]]);
    const SlabSpan& span = executions_[order[position]];
    if (span.cpu != cpu) {
      cpu = span.cpu;
      guess = ThreadGuess();
      clock = span.start;
    }
    columns.kinds.put(span.kind);
    if (span.start != clock) [[unlikely]] {
      columns.gaps.put(position - last_gap);
      columns.gaps.put_signed(unit.count(span.start - clock));
      last_gap = position;
    }
    if (!guess.right(span)) {
      columns.threads.put(position - last_thread);
      columns.threads.put(span.thread);
      last_thread = position;
    }
    clock = span.end();
    KindColumns& of_kind = columns.by_kind.of(span.kind);
    of_kind.durations.put(unit.length(span.duration));
    if (kind_has_argument(span.what)) of_kind.arguments.put(span.arg);
    if (span.what == SpanKind::kSyscall) of_kind.results.put(result_of(span));
    if (traits.has_ipc) of_kind.ipc.put(span.ipc);
    if (traits.has_rpc) of_kind.rpc.put(span.rpc);
    if (traits.has_pieces && is_call_kind(span.what)) {
      of_kind.pieces.put_byte(static_cast<std::uint8_t>(span.piece));
    }
  }
}

const Column& Slab::encode(SlabColumns& columns) {
  sort_overlays();
  settle_calls();
  const Traits traits = this->traits();
  const TimeUnit unit(traits.unit);
  fill(columns, traits);
  put_overlays(columns, unit);
  const ColumnsByKind& by_kind = columns.by_kind;
  Column& out = columns.all;
  out.clear();
  out.put(static_cast<std::uint64_t>(traits.unit));
  out.put_signed(base());
  out.put_column(section_heads(unit));
  out.put_column(columns.kinds);
  by_kind.put_joined(&KindColumns::durations, out);
  out.put_column(columns.gaps);
  out.put_column(columns.threads);
  by_kind.put_joined(&KindColumns::arguments, out);
  by_kind.put_joined(&KindColumns::results, out);
  by_kind.put_joined(&KindColumns::ipc, out);
  by_kind.put_joined(&KindColumns::rpc, out);
  out.put_column(columns.overlays);
  columns.scratch.clear();
  by_kind.append_joined(&KindColumns::pieces, columns.scratch);
  out.put_column(calls_.encode(columns.scratch, base(), unit));
  return out;
}

}  // namespace kutrace::emit
