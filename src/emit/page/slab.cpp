// SPDX-License-Identifier: BSD-3-Clause
// Spans to columns, see slab.h and doc/page-format.md.
#include "emit/page/slab.h"

#include <algorithm>
#include <numeric>

namespace kutrace::emit {
namespace {

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

template <typename Put>
Column column_of(const std::vector<SlabSpan>& spans, Put put) {
  Column column;
  for (const SlabSpan& span : spans) put(column, span);
  return column;
}

// Only written where some span has a value other than zero.
template <typename Get>
Column sparse_column(const std::vector<SlabSpan>& spans, Get get) {
  Column column;
  const auto some = [&](const SlabSpan& span) { return get(span) != 0; };
  if (std::none_of(spans.begin(), spans.end(), some)) return column;
  for (const SlabSpan& span : spans) column.put(get(span));
  return column;
}

}  // namespace

void Slab::clear() {
  for (auto& [cpu, spans] : sections_) {
    spans.clear();
    spare_.push_back(std::move(spans));
  }
  sections_.clear();
  by_cpu_.clear();
  overlays_.clear();
  calls_.clear();
  newest_before_ = newest_ = CallId::kNone;
  size_ = 0;
}

void Slab::add(const SlabSpan& span) {
  const Ns span_end = span.start + span.duration;
  begin_ = size_ == 0 ? span.start : std::min(begin_, span.start);
  end_ = size_ == 0 ? span_end : std::max(end_, span_end);
  size_++;
  newest_ = std::max(newest_, span.call);
  if (is_execution(span.what)) {
    section(span.cpu).push_back(span);
  } else {
    overlays_.push_back(span);
  }
}

SlabSpan* Slab::only_piece(const Call& call) {
  const bool known = call.cpu < by_cpu_.size() && by_cpu_[call.cpu] != nullptr;
  if (call.pieces != 1 || !known || by_cpu_[call.cpu]->empty()) return nullptr;
  SlabSpan& last = by_cpu_[call.cpu]->back();
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

std::vector<SlabSpan>& Slab::section(CpuId cpu) {
  if (cpu < by_cpu_.size() && by_cpu_[cpu] != nullptr) return *by_cpu_[cpu];
  std::vector<SlabSpan>& spans = sections_[cpu];
  if (!spare_.empty()) {
    spans = std::move(spare_.back());
    spare_.pop_back();
  }
  // What a slab can hold, shared evenly: room that is not used is never touched.
  spans.reserve(kSlabSpans / sections_.size());
  if (cpu >= by_cpu_.size()) by_cpu_.resize(cpu + std::size_t{1});
  by_cpu_[cpu] = &spans;
  return spans;
}

std::vector<SlabSpan> Slab::take_long_overlays(Ns limit) {
  std::vector<SlabSpan> taken;
  std::erase_if(overlays_, [&](const SlabSpan& span) {
    if (span.duration <= limit) return false;
    taken.push_back(span);
    return true;
  });
  return taken;
}

SlabRow Slab::row() const {
  SlabRow row;
  for (const auto& [cpu, spans] : sections_) {
    row.sections.push_back(
        {cpu, spans.size(), spans.front().start, spans.back().start + spans.back().duration});
  }
  row.overlays = overlays_.size();
  for (std::size_t i = 0; i < overlays_.size(); i++) {
    const Ns end = overlays_[i].start + overlays_[i].duration;
    row.overlay_begin =
        i == 0 ? overlays_[i].start : std::min(row.overlay_begin, overlays_[i].start);
    row.overlay_end = std::max(row.overlay_end, end);
  }
  return row;
}

Slab::Traits Slab::traits() const {
  Ns unit = 0;
  const auto fold = [&](const SlabSpan& span) {
    const Ns offset = span.start - begin_;
    // Settled after a few spans, most often at one tick, which is then only confirmed.
    const bool power_of_two = unit != 0 && (unit & (unit - 1)) == 0;
    const bool settled = power_of_two && ((offset | span.duration) & (unit - 1)) == 0;
    if (!settled) unit = std::gcd(unit, std::gcd(offset, span.duration));
  };
  unsigned ipc = 0;
  std::uint32_t rpc = 0;
  bool pieces = false;
  for (const auto& [cpu, spans] : sections_) {
    for (const SlabSpan& span : spans) {
      fold(span);
      ipc |= span.ipc;
      rpc |= span.rpc;
      pieces |= is_call_kind(span.what) && span.piece != CallPiece::kWhole;
    }
  }
  std::for_each(overlays_.begin(), overlays_.end(), fold);
  calls_.each_time(begin_, [&unit](Ns time) { unit = std::gcd(unit, time); });
  return {.unit = std::max<Ns>(unit, 1),
          .has_ipc = ipc != 0,
          .has_rpc = rpc != 0,
          .has_pieces = pieces};
}

void Slab::add_to(KindTotals& totals) const {
  for (const auto& [cpu, spans] : sections_) {
    for (const SlabSpan& span : spans) {
      totals.add(span.kind, span.duration);
      if (span.piece == CallPiece::kWhole) totals.add_call(span.kind, span.duration);
    }
  }
  calls_.add_to(totals);
  for (const SlabSpan& span : overlays_) totals.add(span.kind, span.duration);
}

void Slab::add_to(CpuOverview& overview) const {
  for (const auto& [cpu, spans] : sections_) {
    for (const SlabSpan& span : spans) {
      overview.add(cpu, span.what, span.kind, span.start, span.duration, span.ipc);
    }
  }
}

void Slab::settle_calls() {
  std::vector<SlabSpan*> pieces;
  for (auto& [cpu, spans] : sections_) {
    for (SlabSpan& span : spans) {
      if (is_call_kind(span.what) && span.piece != CallPiece::kWhole) pieces.push_back(&span);
    }
  }
  // A thread goes from CPU to CPU.
  std::ranges::stable_sort(pieces, {}, &SlabSpan::start);
  calls_.settle(pieces);
}

void Slab::sort_overlays() {
  std::stable_sort(overlays_.begin(), overlays_.end(),
                   [](const SlabSpan& a, const SlabSpan& b) { return a.start < b.start; });
}

Column Slab::section_heads(Ns base, Ns unit) const {
  Column heads;
  heads.put(sections_.size());
  for (const auto& [cpu, spans] : sections_) {
    heads.put(cpu);
    heads.put(spans.size());
    heads.put(static_cast<std::uint64_t>((spans.front().start - base) / unit));
  }
  return heads;
}

Column Slab::overlay_columns(Ns base, Ns unit) const {
  Column out;
  out.put(overlays_.size());
  out.put_column(column_of(overlays_, [](Column& c, const SlabSpan& s) { c.put(s.kind); }));
  Ns last = base;
  out.put_column(column_of(overlays_, [&](Column& c, const SlabSpan& s) {
    c.put(static_cast<std::uint64_t>((s.start - last) / unit));
    last = s.start;
  }));
  out.put_column(column_of(overlays_, [&](Column& c, const SlabSpan& s) {
    c.put(static_cast<std::uint64_t>(s.duration / unit));
  }));
  out.put_column(column_of(overlays_, [](Column& c, const SlabSpan& s) {
    c.put(s.cpu == kNoCpu ? 0 : std::uint64_t{s.cpu} + 1);
  }));
  out.put_column(column_of(overlays_, [](Column& c, const SlabSpan& s) { c.put(s.thread); }));
  out.put_column(
      sparse_column(overlays_, [](const SlabSpan& s) { return std::uint64_t{s.other}; }));
  out.put_column(sparse_column(overlays_, [](const SlabSpan& s) { return std::uint64_t{s.arg}; }));
  out.put_column(sparse_column(overlays_, [](const SlabSpan& s) { return std::uint64_t{s.rpc}; }));
  out.put_column(sparse_column(overlays_, [](const SlabSpan& s) { return s.value; }));
  out.put_column(sparse_column(overlays_, result_of));
  out.put_column(sparse_column(overlays_, [](const SlabSpan& s) { return std::uint64_t{s.ipc}; }));
  return out;
}

void Slab::fill(ColumnsByKind& columns, const Traits& traits) const {
  columns.clear();
  for (const auto& [cpu, spans] : sections_) {
    for (const SlabSpan& span : spans) {
      KindColumns& of_kind = columns.of(span.kind);
      of_kind.durations.put(static_cast<std::uint64_t>(span.duration / traits.unit));
      if (kind_has_argument(span.what)) of_kind.arguments.put(span.arg);
      if (span.what == SpanKind::kSyscall) of_kind.results.put(result_of(span));
      if (traits.has_ipc) of_kind.ipc.put(span.ipc);
      if (traits.has_rpc) of_kind.rpc.put(span.rpc);
      if (traits.has_pieces && is_call_kind(span.what)) {
        of_kind.pieces.put_byte(static_cast<std::uint8_t>(span.piece));
      }
    }
  }
}

Column Slab::encode(ColumnsByKind& columns) {
  sort_overlays();
  settle_calls();
  const Traits traits = this->traits();
  const Ns unit = traits.unit;
  Column kinds;
  Column gaps;
  Column threads;
  std::uint64_t position = 0;
  std::uint64_t last_gap = 0;
  std::uint64_t last_thread = 0;
  for (const auto& [cpu, spans] : sections_) {
    ThreadGuess guess;
    Ns clock = spans.front().start;
    for (const SlabSpan& span : spans) {
      kinds.put(span.kind);
      if (span.start != clock) {
        gaps.put(position - last_gap);
        gaps.put_signed((span.start - clock) / unit);
        last_gap = position;
      }
      if (!guess.right(span)) {
        threads.put(position - last_thread);
        threads.put(span.thread);
        last_thread = position;
      }
      clock = span.start + span.duration;
      position++;
    }
  }
  fill(columns, traits);
  Column out;
  out.put(static_cast<std::uint64_t>(unit));
  out.put_signed(begin_);
  out.put_column(section_heads(begin_, unit));
  out.put_column(kinds);
  out.put_column(columns.joined(&KindColumns::durations));
  out.put_column(gaps);
  out.put_column(threads);
  out.put_column(columns.joined(&KindColumns::arguments));
  out.put_column(columns.joined(&KindColumns::results));
  out.put_column(columns.joined(&KindColumns::ipc));
  out.put_column(columns.joined(&KindColumns::rpc));
  out.put_column(overlay_columns(begin_, unit));
  out.put_column(calls_.encode(columns.joined(&KindColumns::pieces), begin_, unit));
  return out;
}

}  // namespace kutrace::emit
