// SPDX-License-Identifier: BSD-3-Clause
// Sums of calls, handed from those that end to those that made them.
#include "spans/open_calls.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace kutrace::spans {

Call OpenCalls::new_call(const Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now) {
  last_id_ = static_cast<std::uint32_t>(next_id());
  const bool has_parent = is_open(parent);
  const Ns begin = has_parent ? std::max(now, calls_[parent.place].call.begin) : now;
  return {
      .id = CallId{last_id_},
      .parent = has_parent ? parent.id : CallId::kNone,
      .thread = owner.thread,
      .pid = owner.pid,
      .cpu = cpu,
      .event = frame.call,
      .arg = frame.arg,
      .name = frame.name,
      .kind = frame.kind,
      .begin = begin,
      .end = begin,
      .result = {},
      .waits = {},
  };
}

void OpenCalls::begin(Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now,
                      bool inferred) {
  if (free_ == kNoPlace) {
    free_ = static_cast<std::uint32_t>(calls_.size());
    calls_.emplace_back().parent = kNoPlace;
  }
  frame.place = free_;
  Place& place = calls_[frame.place];
  free_ = place.parent;
  place.call = new_call(frame, parent, owner, cpu, now);
  frame.id = place.call.id;
  place.call.begin_inferred = inferred;
  place.parent = parent.place;
  if (place.call.parent != CallId::kNone) ++calls_[parent.place].children;
}

void OpenCalls::leaf(const Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns begin,
                     Ns end, CallResult result) {
  Call call = new_call(frame, parent, owner, cpu, begin);
  call.end = std::max(end, call.begin);
  call.own = call.on_cpu = end - begin;
  call.pieces = end > begin ? 1 : 0;
  call.result = result;
  call.has_result = true;
  hand_over(call, parent.place);
}

void OpenCalls::add(std::vector<WaitTime>& waits, char letter, Ns time) {
  for (WaitTime& wait : waits) {
    if (wait.letter == letter) {
      wait.time += time;
      return;
    }
  }
  waits.push_back({letter, time});
}

void OpenCalls::wait(const Frame& frame, char letter, Ns time, Ns until) {
  Place& place = calls_[frame.place];
  place.call.blocked += time;
  place.call.end = until;
  add(place.waits, letter, time);
}

void OpenCalls::result(const Frame& frame, CallResult result) {
  Call& call = calls_[frame.place].call;
  call.result = result;
  call.has_result = true;
}

// A call without open children that is called, however far down, by the one at `place`.
std::uint32_t OpenCalls::youngest_child(std::uint32_t place) const {
  while (calls_[place].children > 0) {
    const CallId parent = calls_[place].call.id;
    const auto child = std::ranges::find_if(calls_, [&](const Place& p) {
      return p.call.id != CallId::kNone && p.call.parent == parent;
    });
    place = static_cast<std::uint32_t>(child - calls_.begin());
  }
  return place;
}

void OpenCalls::end(const Frame& frame, Ns now, bool inferred) {
  check(is_open(frame), "a call ends once");
  // Only stacks that contradict each other leave a call open that its caller outlived.
  while (calls_[frame.place].children > 0) {
    end_place(youngest_child(frame.place), now, true);
  }
  end_place(frame.place, now, inferred);
}

void OpenCalls::end_place(std::uint32_t at, Ns now, bool inferred) {
  Place& place = calls_[at];
  Call& call = place.call;
  call.end = std::max(now, call.end);  // not before what it did
  call.end_inferred = inferred;
  call.on_cpu += call.own;
  call.waits = place.waits;
  if (call.parent != CallId::kNone) --calls_[place.parent].children;
  hand_over(call, place.parent);
  call.id = CallId::kNone;
  place.waits.clear();
  place.parent = std::exchange(free_, at);
}

// It is over: its sums are its parent's, too.
void OpenCalls::hand_over(const Call& call, std::uint32_t parent) {
  sink_.call(call);
  if (call.parent == CallId::kNone) return;
  check(parent < calls_.size() && calls_[parent].call.id == call.parent,
        "who made a call outlives it");
  Place& place = calls_[parent];
  place.call.end = std::max(place.call.end, call.end);
  place.call.on_cpu += call.on_cpu;
  if (call.blocked == 0) return;
  place.call.blocked += call.blocked;
  for (const WaitTime& wait : call.waits) add(place.waits, wait.letter, wait.time);
}

}  // namespace kutrace::spans
