// SPDX-License-Identifier: BSD-3-Clause
// Summing what each open call did.
#include "reports/call_law.h"

#include <fmt/format.h>

#include <algorithm>

namespace kutrace {

void CallSums::Sums::reach(Ns begin, Ns end) {
  first = any ? std::min(first, begin) : begin;
  last = any ? std::max(last, end) : end;
  any = true;
}

// Its place, or the free one where it belongs.
std::size_t CallSums::find(CallId id) const {
  std::size_t place = static_cast<std::size_t>(id) & (sums_.size() - 1);
  while (sums_[place].id != id && sums_[place].id != CallId::kNone) {
    place = (place + 1) & (sums_.size() - 1);
  }
  return place;
}

CallSums::Sums& CallSums::at(CallId id) {
  std::size_t place = find(id);
  if (sums_[place].id == id) return sums_[place];
  if (2 * ++size_ > sums_.size()) {
    grow();
    place = find(id);
  }
  sums_[place].id = id;
  return sums_[place];
}

CallSums::Sums CallSums::take(CallId id) {
  std::size_t hole = find(id);
  if (sums_[hole].id != id) return {};
  const Sums taken = sums_[hole];
  --size_;
  const std::size_t mask = sums_.size() - 1;
  // Those behind it that a search would have found on its way through here move up.
  for (std::size_t at = (hole + 1) & mask; sums_[at].id != CallId::kNone; at = (at + 1) & mask) {
    const std::size_t home = static_cast<std::size_t>(sums_[at].id) & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    sums_[hole] = sums_[at];
    hole = at;
  }
  sums_[hole] = {};
  return taken;
}

void CallSums::grow() {
  std::vector<Sums> old(sums_.size() * 2);
  old.swap(sums_);
  for (const Sums& sums : old) {
    if (sums.id != CallId::kNone) sums_[find(sums.id)] = sums;
  }
}

void CallLaw::piece(const Span& span) {
  CallSums::Sums& sums = open_.at(span.call);
  sums.own += span.duration;
  ++sums.pieces;
  sums.reach(span.start, span.start + span.duration);
}

void CallLaw::wait(const Span& span) {
  CallSums::Sums& sums = open_.at(span.call);
  sums.blocked += span.duration;
  sums.reach(span.start, span.start + span.duration);
}

void CallLaw::call(const Call& call, const Violate& violate) {
  const CallSums::Sums sums = open_.take(call.id);
  ++count_;
  inferred_ += call.begin_inferred || call.end_inferred ? 1 : 0;
  total_ += call.duration();
  unknown_ += call.unknown();
  Ns waits = 0;
  for (const WaitTime& wait : call.waits) waits += wait.time;
  const bool adds_up = sums.own == call.own && sums.pieces == call.pieces &&
                       sums.own + sums.called == call.on_cpu && sums.blocked == call.blocked &&
                       waits == call.blocked && call.unknown() >= 0;
  const bool inside = !sums.any || (sums.first >= call.begin && sums.last <= call.end);
  if (!adds_up || call.duration() < 0) {
    violate(fmt::format(
        "call {} of event {:x} from {} ns: {} ns in pieces, {} ns called, {} ns "
        "blocked; it says {} + {} + {} of {} ns",
        static_cast<std::uint32_t>(call.id), call.event, call.begin, sums.own, sums.called,
        sums.blocked, call.own, call.on_cpu - call.own, call.blocked, call.duration()));
  }
  if (!inside) {
    violate(
        fmt::format("call {} of event {:x} from {} to {} ns: parts of it reach from {} to {} ns",
                    static_cast<std::uint32_t>(call.id), call.event, call.begin, call.end,
                    sums.first, sums.last));
  }
  if (call.parent == CallId::kNone) return;
  CallSums::Sums& parent = open_.at(call.parent);
  parent.called += call.on_cpu;
  parent.blocked += call.blocked;
  parent.reach(call.begin, call.end);
}

void CallLaw::finish(const Violate& violate) const {
  if (count_ == 0) return;  // a form of trace that does not tell of calls
  if (open_.size() != 0) violate(fmt::format("{} calls never end", open_.size()));
}

}  // namespace kutrace
