// SPDX-License-Identifier: BSD-3-Clause
// Summing what each open call did.
#include "reports/call_law.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/add_time.h"

namespace kutrace::reports {

// Its place holds another call, or none: that one goes where the few are.
CallSums::Sums& CallSums::fetch(CallId id) {
  if (far_.size() > near_.size() / 2) grow();
  Sums& near = near_[place(id)];
  if (near.id == id) return near;
  if (near.id != CallId::kNone) far_[near.id] = near;
  near = {};
  near.id = id;
  if (id > newest_) {
    newest_ = id;
  } else if (const auto known = far_.find(id); known != far_.end()) {
    near = known->second;
    far_.erase(known);
  }
  return near;
}

void CallSums::grow() {
  std::vector<Sums> old(near_.size() * 2);
  old.swap(near_);
  for (const Sums& sums : old) {
    if (sums.id != CallId::kNone) near_[place(sums.id)] = sums;
  }
  std::erase_if(far_, [&](const auto& known) {
    Sums& near = near_[place(known.first)];
    if (near.id != CallId::kNone) return false;
    near = known.second;
    return true;
  });
}

std::size_t CallSums::open() const {
  const auto used =
      std::ranges::count_if(near_, [](const Sums& s) { return s.id != CallId::kNone; });
  return far_.size() + static_cast<std::size_t>(used);
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

void CallLaw::count(const Call& call) {
  ++count_;
  inferred_ += call.begin_inferred || call.end_inferred ? 1 : 0;
  add_time(total_, call.duration());
  add_time(unknown_, call.unknown());
}

void CallLaw::call(const Call& call, Violations& violations) {
  CallSums::Sums& sums = open_.at(call.id);
  count(call);
  Ns waits = 0;
  for (const WaitTime& wait : call.waits) waits += wait.time;
  const bool adds_up = sums.own == call.own && sums.pieces == call.pieces &&
                       sums.own + sums.called == call.on_cpu && sums.blocked == call.blocked &&
                       waits == call.blocked && call.unknown() >= 0;
  const bool inside = sums.first >= call.begin && sums.last <= call.end;
  if (!adds_up || call.duration() < 0) {
    violations.add(fmt::format(
        "call {} of event {:x} from {} ns: {} ns in pieces, {} ns called, {} ns "
        "blocked; it says {} + {} + {} of {} ns",
        static_cast<std::uint32_t>(call.id), call.event, call.begin, sums.own, sums.called,
        sums.blocked, call.own, call.on_cpu - call.own, call.blocked, call.duration()));
  }
  if (!inside) {
    violations.add(
        fmt::format("call {} of event {:x} from {} to {} ns: parts of it reach from {} to {} ns",
                    static_cast<std::uint32_t>(call.id), call.event, call.begin, call.end,
                    sums.first, sums.last));
  }
  sums = {};
  if (call.parent == CallId::kNone) return;
  CallSums::Sums& parent = open_.at(call.parent);
  parent.called += call.on_cpu;
  parent.blocked += call.blocked;
  parent.reach(call.begin, call.end);
}

void CallLaw::finish(Violations& violations) const {
  if (count_ == 0) return;  // a form of trace that does not tell of calls
  if (open_.open() != 0) violations.add(fmt::format("{} calls never end", open_.open()));
}

}  // namespace kutrace::reports
