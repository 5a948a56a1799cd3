// SPDX-License-Identifier: BSD-3-Clause
// Spans to columns, see slab.h and doc/page-format.md.
#include "emit/page/slab.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/add_time.h"
#include "base/check.h"
#include "base/large_pages.h"
#include "emit/page/time_order.h"

namespace kutrace::emit {
namespace {

constexpr std::size_t kMostMoves = 16;  // of a piece, on average

// In order of time. They come in the order of their ends, so most are where they belong, or close
// to it; each that is not is moved there, unless that becomes too much.
void sort_pieces(std::span<SlabSpan*> pieces) {
  const auto is_before = [](const SlabSpan* a, const SlabSpan* b) {
    return a->start != b->start ? a->start < b->start : std::tie(a->cpu, a) < std::tie(b->cpu, b);
  };
  std::size_t left = kMostMoves * pieces.size();
  for (std::size_t next = 1; next < pieces.size(); ++next) {
    SlabSpan* const piece = pieces[next];
    std::size_t place = next;
    for (; place > 0 && left > 0 && is_before(piece, pieces[place - 1]); --place, --left) {
      pieces[place] = pieces[place - 1];
    }
    pieces[place] = piece;
    if (left == 0) break;
  }
  if (left == 0) std::ranges::sort(pieces, is_before);
}

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
      shows_result(last,
                   result_code(call.kind, call.has_result, page_result(call.kind, call.result)));
  return is_all ? &last : nullptr;
}

bool Slab::add(const Call& call, const CallPlace& place) {
  newest_ = std::max(newest_, call.id);
  const bool within =
      size_ != 0 && call.id > newest_before_ && call.begin >= begin_ && call.end <= end_;
  if (within) calls_.add(call, place);
  return within;
}

std::vector<SlabOverlay> Slab::take_long_overlays(Ns limit) {
  std::vector<SlabOverlay> taken;
  for (SlabOverlay& span : overlays_) {
    if (span.duration <= limit || span.elsewhere) continue;
    taken.push_back(span);
    span.elsewhere = true;
  }
  return taken;
}

void Slab::drop_elsewhere() {
  std::erase_if(overlays_, [](const SlabOverlay& span) { return span.elsewhere; });
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

void Slab::fold_overlays(CommonUnit& unit) const {
  for (const SlabOverlay& span : overlays_) {
    unit.fold(span.start - base());
    unit.fold(span.duration);
  }
}

void Slab::add_others_to(KindTotals& totals) const {
  calls_.add_to(totals);
  for (const SlabOverlay& span : overlays_) totals.add_overlay(span.kind, span.duration);
}

// Spans are long: each is moved once.
void Slab::sort_overlays() {
  if (std::ranges::is_sorted(overlays_, {}, &SlabOverlay::start)) return;
  std::vector<Ns> starts(overlays_.size());
  std::ranges::transform(overlays_, starts.begin(), &SlabOverlay::start);
  std::vector<SlabOverlay> sorted;
  sorted.reserve(overlays_.size());
  for (const std::uint32_t place : time_order(starts)) sorted.push_back(overlays_[place]);
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
    std::uint8_t* at = scratch.room_for(overlays_.size());
    for (const SlabOverlay& span : overlays_) at = Column::put_at(at, value_of(span));
    scratch.ends_at(at);
    out.put_column(scratch);
  };
  // Only written where some span has a value other than zero.
  SlabOverlay any;
  any.other = kIdleThread;
  for (const SlabOverlay& span : overlays_) {
    any.other |= span.other;
    any.arg |= span.arg;
    any.rpc |= span.rpc;
    any.value |= span.value;
    any.has_result |= span.has_result;
    any.ipc |= span.ipc;
  }
  const auto put_sparse = [&](bool some, auto value_of) {
    if (some) return put(value_of);
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
  put_sparse(any.other != 0, [](const SlabOverlay& span) { return span.other; });
  put_sparse(any.arg != 0, [](const SlabOverlay& span) { return span.arg; });
  put_sparse(any.rpc != 0, [](const SlabOverlay& span) { return span.rpc; });
  put_sparse(any.value != 0, [](const SlabOverlay& span) { return span.value; });
  put_sparse(any.has_result, [](const SlabOverlay& span) { return result_number(span); });
  put_sparse(any.ipc != 0, [](const SlabOverlay& span) { return span.ipc; });
}

void Slab::add_waits_to(Overview& threads) const {
  Ns waited = 0;
  for (const SlabOverlay& span : overlays_) {
    if (span.what == SpanKind::kWait) add_time(waited, span.duration);
  }
  threads.expect_waits(waited);
  for (const SlabOverlay& span : overlays_) {
    if (span.what == SpanKind::kWait) threads.add_wait(span);
  }
}

const Column& Slab::encode(SlabColumns& columns, const SlabSums& sums) {
  ExecutionColumns& executions = columns.executions;
  CommonUnit common;
  executions.survey(executions_, cpus_, base(), common, sums.threads);
  add_waits_to(sums.threads);
  add_others_to(sums.totals);
  sort_overlays();
  fold_overlays(common);
  calls_.each_time(base(), [&common](Ns time) { common.fold(time); });
  // A thread goes from CPU to CPU: its pieces are wanted in order of time, and so are all that came
  // in it, but for a little slack between CPUs.
  sort_pieces(executions.pieces());
  calls_.settle(executions.pieces());
  const TimeUnit unit(common.found());
  executions.arrange(executions_, cpus_, unit, sums);
  Column& out = put_all(columns, unit);
  calls_.encode(executions.piece_column(), base(), unit, out);
  return out;
}

const Column& Slab::encode_others(SlabColumns& columns, FarCalls& calls) {
  check(executions_.empty() && calls_.size() == 0, "what executed is summed up");
  columns.executions.clear();
  CommonUnit common;
  sort_overlays();
  fold_overlays(common);
  calls.fold(base(), common);
  const TimeUnit unit(common.found());
  Column& out = put_all(columns, unit);
  calls.put_to(base(), unit, out);
  return out;
}

Column& Slab::put_all(SlabColumns& columns, const TimeUnit& unit) const {
  put_overlays(columns, unit);
  ExecutionColumns& executions = columns.executions;
  Column& out = columns.all;
  out.clear();
  out.put(static_cast<std::uint64_t>(unit.unit()));
  out.put_signed(base());
  out.put_column(section_heads(unit));
  out.put_column(executions.kinds());
  columns.cuts.clear();
  const auto next_part = [&columns, &out] { columns.cuts.push_back(out.size()); };
  next_part();
  executions.put_durations(out);
  next_part();
  out.put_column(executions.gaps());
  out.put_column(executions.threads());
  next_part();
  executions.put_arguments(out);
  next_part();
  executions.put_results(out);
  executions.put_ipc(out);
  executions.put_rpc(out);
  next_part();
  out.put_column(columns.overlays);
  return out;
}

}  // namespace kutrace::emit
