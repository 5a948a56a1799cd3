// SPDX-License-Identifier: BSD-3-Clause
// Which calls are no more than their pieces, and columns of those that are, see slab_calls.h.
#include "emit/page/slab_calls.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/recent_index.h"
#include "emit/page/slab.h"

namespace kutrace::emit {
namespace {

// Calls of one kind and owner never overlap, so a reader finds the pieces of one by these.
std::uint64_t key_of(const SlabSpan& span) {
  const bool of_cpu = span.thread == kIdleThread;
  return std::uint64_t{span.kind} << 33 |
         (of_cpu ? std::uint64_t{1} << 32 | span.cpu : span.thread);
}

struct KeyHash {
  std::size_t operator()(std::uint64_t key) const {
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15ull >> 32);
  }
};

// 0, 1 for the same as another one, else units + 1.
void put_time(Column& column, Ns time, Ns like, const TimeUnit& unit) {
  column.put(time == 0 ? 0 : time == like ? 1 : unit.length(time) + 1);
}

void clear_zeros(Column& column) {
  if (std::ranges::all_of(column.bytes(), [](std::uint8_t byte) { return byte == 0; })) {
    column.clear();
  }
}

}  // namespace

ThreadIndex call_owner(const SlabSpan& span) {
  return is_interrupt(span.what) ? kIdleThread : span.thread;
}

bool shows_result(const SlabSpan& last, std::uint32_t result) {
  return result_code(last.what, last.has_result, last.result) == result &&
         (last.what == SpanKind::kSyscall || result == 0);
}

void SlabCalls::clear() {
  calls_.clear();
  waits_.clear();
  plain_.clear();
}

void SlabCalls::add(const Call& call, const CallPlace& place) {
  const auto flags =
      (call.begin_inferred ? kPageBeginInferred : 0u) | (call.end_inferred ? kPageEndInferred : 0u);
  calls_.push_back({
      .begin = call.begin,
      .end = call.end,
      .own = call.own,
      .unknown = call.unknown(),
      .id = call.id,
      .kind = place.kind,
      .thread = place.thread,
      .stack = place.stack,
      .cpu = call.cpu,
      .arg = static_cast<std::uint32_t>(call.arg),
      .pieces = call.pieces,
      .waits = static_cast<std::uint32_t>(call.waits.size()),
      .first_wait = static_cast<std::uint32_t>(waits_.size()),
      .result = result_code(call.kind, call.has_result, low_bits(call.result)),
      .flags = static_cast<std::uint8_t>(flags),
  });
  waits_.insert(waits_.end(), call.waits.begin(), call.waits.end());
}

void SlabCalls::add_to(KindTotals& totals) const {
  for (const SlabCall& call : calls_) totals.add_call(call.kind, call.duration());
}

SlabCalls::Sum* SlabCalls::sum_of(CallId id) {
  const std::uint32_t place = static_cast<std::uint32_t>(id) - lowest_;
  return place < places_.size() && places_[place] != 0 ? &sums_[places_[place] - 1] : nullptr;
}

bool SlabCalls::is_plain(const SlabCall& call, const Sum& sum) {
  if (sum.pieces == 0 || sum.pieces != call.pieces || sum.own != call.own || !sum.alike) {
    return false;
  }
  const SlabSpan& last = *sum.last;
  return call.begin <= sum.first->start && call.end >= last.start + last.duration &&
         call.kind == last.kind && call.cpu == last.cpu && call.arg == last.arg &&
         call.thread == call_owner(last) && shows_result(last, call.result);
}

void SlabCalls::settle(std::span<SlabSpan* const> spans) {
  sums_.assign(calls_.size(), {});
  plain_.clear();
  places_.clear();
  if (calls_.empty() || spans.empty()) return;
  const auto by_id = [](const SlabCall& a, const SlabCall& b) { return a.id < b.id; };
  const auto [low, high] = std::ranges::minmax_element(calls_, by_id);
  lowest_ = static_cast<std::uint32_t>(low->id);
  // Calls that began in this slab have ids side by side; others are in no slab's table.
  places_.resize(static_cast<std::uint32_t>(high->id) - lowest_ + std::size_t{1});
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    places_[static_cast<std::uint32_t>(calls_[i].id) - lowest_] = static_cast<std::uint32_t>(i + 1);
  }
  for (const SlabSpan* span : spans) {
    Sum* sum = sum_of(span->call);
    if (sum == nullptr) continue;
    if (sum->first == nullptr) sum->first = span;
    sum->alike = sum->alike && key_of(*span) == key_of(*sum->first);
    sum->last = span;
    sum->own += span->duration;
    ++sum->pieces;
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) sums_[i].plain = is_plain(calls_[i], sums_[i]);

  RecentIndex<std::uint64_t, KeyHash, 1024> numbers;
  std::vector<const Sum*> open;  // by number of a kind and owner
  for (SlabSpan* span : spans) {
    Sum* sum = sum_of(span->call);
    if (sum == nullptr || !sum->plain) continue;
    const auto [number, is_new] = numbers.find_or_add(key_of(*span));
    if (is_new) open.push_back(nullptr);
    const Sum*& here = open[number];
    if (here != nullptr && here != sum) {
      sum->plain = false;  // only stacks that contradict each other overlap
      continue;
    }
    here = span == sum->last ? nullptr : sum;
    span->piece = here == nullptr ? CallPiece::kLast : CallPiece::kPart;
    if (here == nullptr) plain_.push_back(static_cast<std::uint32_t>(sum - sums_.data()));
  }
  // What returned after what it had called stands behind it, and most often waited as long.
  std::ranges::stable_sort(plain_, {}, [this](std::uint32_t i) {
    return std::pair(sums_[i].last->cpu, sums_[i].last->start);
  });
}

Ns SlabCalls::blocked(const SlabCall& call) const {
  Ns sum = 0;
  for (const WaitTime& wait : std::span(waits_).subspan(call.first_wait, call.waits)) {
    sum += wait.time;
  }
  return sum;
}

bool SlabCalls::waits_as(const SlabCall& call, const SlabCall& other) const {
  const std::span all(waits_);
  return call.waits != 0 && std::ranges::equal(all.subspan(call.first_wait, call.waits),
                                               all.subspan(other.first_wait, other.waits),
                                               [](const WaitTime& a, const WaitTime& b) {
                                                 return a.letter == b.letter && a.time == b.time;
                                               });
}

Column SlabCalls::encode(const Column& pieces, Ns base, const TimeUnit& unit) const {
  std::vector<std::uint32_t> order = plain_;
  for (std::uint32_t i = 0; i < calls_.size(); ++i) {
    if (!sums_[i].plain) order.push_back(i);
  }
  Column counts;
  Column letters;
  Column times;
  Column unknown;
  Column flags;
  Column leads;
  Column tails;
  SlabCall before;
  for (const std::uint32_t i : order) {
    const SlabCall& call = calls_[i];
    if (waits_as(call, before)) {
      counts.put(kPageSameWaits);
    } else {
      counts.put(call.waits);
      for (const WaitTime& wait : std::span(waits_).subspan(call.first_wait, call.waits)) {
        letters.put_byte(static_cast<std::uint8_t>(wait.letter - 'a'));
        times.put(unit.length(wait.time));
      }
    }
    put_time(unknown, call.unknown, before.unknown, unit);
    flags.put(call.flags);
    before = call;
  }
  for (const std::uint32_t i : plain_) {
    const SlabSpan& last = *sums_[i].last;
    const Ns waited = blocked(calls_[i]);
    put_time(leads, sums_[i].first->start - calls_[i].begin, waited, unit);
    put_time(tails, calls_[i].end - last.start - last.duration, waited, unit);
  }
  for (Column* column : {&counts, &unknown, &flags, &leads, &tails}) clear_zeros(*column);

  Column kinds, threads, cpus, ends, durations, owns, numbers, args, results, stacks;
  Ns last = base;
  for (const std::uint32_t i : std::span(order).subspan(plain_.size())) {
    const SlabCall& call = calls_[i];
    kinds.put(call.kind);
    threads.put(call.thread);
    cpus.put(call.cpu == kNoCpu ? 0 : std::uint64_t{call.cpu} + 1);
    ends.put_signed(unit.count(call.end - last));
    last = call.end;
    durations.put(unit.length(call.duration()));
    owns.put(unit.length(call.own));
    numbers.put(call.pieces);
    args.put(call.arg);
    results.put(call.result);
    stacks.put(call.stack);
  }
  clear_zeros(stacks);
  Column out;
  out.put(order.size() - plain_.size());
  const std::initializer_list<const Column*> columns{
      &pieces,  &counts, &letters, &times,     &unknown, &flags,   &leads, &tails,   &kinds,
      &threads, &cpus,   &ends,    &durations, &owns,    &numbers, &args,  &results, &stacks};
  for (const Column* column : columns) {
    out.put_column(*column);
  }
  return out;
}

}  // namespace kutrace::emit
