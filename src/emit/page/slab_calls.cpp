// SPDX-License-Identifier: BSD-3-Clause
// Which calls are no more than their pieces, and columns of those that are, see slab_calls.h.
#include "emit/page/slab_calls.h"

#include <algorithm>
#include <utility>

#include "base/recent_index.h"
#include "emit/page/call_columns.h"
#include "emit/page/slab.h"
#include "format/page_format.h"

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
  calls_.push_back(slab_call(call, place));
  calls_.back().first_wait = static_cast<std::uint32_t>(waits_.size());
  waits_.insert(waits_.end(), call.waits.begin(), call.waits.end());
}

void SlabCalls::add_to(KindTotals& totals) const {
  for (const SlabCall& call : calls_) {
    if (!call.birth) totals.add_call(call.kind, call.duration());
  }
}

SlabCalls::Sum* SlabCalls::sum_of(CallId id) {
  const std::uint32_t place = static_cast<std::uint32_t>(id) - lowest_;
  return place < places_.size() && places_[place] != 0 ? &sums_[places_[place] - 1] : nullptr;
}

bool SlabCalls::is_plain(const SlabCall& call, const Sum& sum) {
  // Its result tells it from a new thread's way out, also to who reads no results of spans.
  const bool was_under_way = (call.flags & kPageBeginInferred) != 0 && !call.birth;
  if (was_under_way) return false;
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

void SlabCalls::encode(const Column& pieces, Ns base, const TimeUnit& unit, Column& out) const {
  CallColumns columns(base, unit);
  Column leads;
  Column tails;
  for (const std::uint32_t i : plain_) {
    const SlabCall& call = calls_[i];
    columns.add_waits(call, waits(call));
    Ns waited = 0;
    for (const WaitTime& wait : waits(call)) waited += wait.time;
    const SlabSpan& last = *sums_[i].last;
    put_time(leads, sums_[i].first->start - call.begin, waited, unit);
    put_time(tails, call.end - last.start - last.duration, waited, unit);
  }
  clear_zeros(leads);
  clear_zeros(tails);
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (!sums_[i].plain) columns.add_whole(calls_[i], waits(calls_[i]));
  }
  columns.put_to(out, pieces, leads, tails);
}

}  // namespace kutrace::emit
