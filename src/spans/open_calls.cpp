// SPDX-License-Identifier: BSD-3-Clause
// Sums of calls, handed from those that end to those that made them.
#include "spans/open_calls.h"

#include <algorithm>

namespace kutrace {

void OpenCalls::begin(Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now,
                      bool inferred) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(calls_.size()));
    calls_.emplace_back();
  }
  frame.place = free_.back();
  free_.pop_back();
  if (++last_id_ == 0) ++last_id_;
  frame.id = CallId{last_id_};
  Place& place = calls_[frame.place];
  const bool has_parent = is_open(parent);
  place.parent = parent.place;
  if (has_parent) ++calls_[parent.place].children;
  Call& call = place.call;
  call = Call{};
  call.id = frame.id;
  call.parent = has_parent ? parent.id : CallId::kNone;
  call.thread = owner.thread;
  call.pid = owner.pid;
  call.cpu = cpu;
  call.event = frame.call;
  call.arg = frame.arg;
  call.name = frame.name;
  call.kind = frame.kind;
  call.begin = has_parent ? std::max(now, calls_[parent.place].call.begin) : now;
  call.end = call.begin;
  call.begin_inferred = inferred;
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

void OpenCalls::result(const Frame& frame, std::uint16_t result) {
  Call& call = calls_[frame.place].call;
  call.result = result;
  call.has_result = true;
}

// A call without open children that is called, however far down, by the one at `place`.
std::size_t OpenCalls::youngest_child(std::size_t place) const {
  while (calls_[place].children > 0) {
    const CallId parent = calls_[place].call.id;
    const auto child = std::ranges::find_if(calls_, [&](const Place& p) {
      return p.call.id != CallId::kNone && p.call.parent == parent;
    });
    place = static_cast<std::size_t>(child - calls_.begin());
  }
  return place;
}

void OpenCalls::end(const Frame& frame, Ns now, bool inferred) {
  // Only stacks that contradict each other leave a call open that its caller outlived.
  while (calls_[frame.place].children > 0) {
    end_place(youngest_child(frame.place), now, true);
  }
  end_place(frame.place, now, inferred);
}

void OpenCalls::end_place(std::size_t at, Ns now, bool inferred) {
  Place& place = calls_[at];
  Call& call = place.call;
  call.end = std::max(now, call.end);  // not before what it did
  call.end_inferred = inferred;
  call.on_cpu += call.own;
  call.waits = place.waits;
  sink_.call(call);
  if (call.parent != CallId::kNone) {
    Place& parent = calls_[place.parent];
    --parent.children;
    parent.call.end = std::max(parent.call.end, call.end);
    parent.call.on_cpu += call.on_cpu;
    parent.call.blocked += call.blocked;
    for (const WaitTime& wait : place.waits) add(parent.waits, wait.letter, wait.time);
  }
  call.id = CallId::kNone;
  place.waits.clear();
  free_.push_back(static_cast<std::uint32_t>(at));
}

}  // namespace kutrace
