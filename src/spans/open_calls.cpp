// SPDX-License-Identifier: BSD-3-Clause
// Sums of calls, handed from those that end to those that made them.
#include "spans/open_calls.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace kutrace::spans {

Call OpenCalls::new_call(const Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now,
                         std::uint32_t slot) {
  last_id_ = static_cast<std::uint32_t>(next_id());
  const bool has_parent = is_open(parent);
  const Ns begin = has_parent ? std::max(now, begin_of(parent)) : now;
  return {
      .id = CallId{last_id_},
      .parent = has_parent ? parent.id : CallId::kNone,
      .slot = slot,
      .parent_slot = has_parent ? slot_of(parent) : 0,
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

OpenCall& OpenCalls::new_place() {
  if (free_ == nullptr) {
    OpenCall& place = calls_.emplace_back();
    place.call.slot = static_cast<std::uint32_t>(calls_.size());
    return place;
  }
  OpenCall& place = *free_;
  free_ = place.parent;
  return place;
}

void OpenCalls::begin(Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now,
                      bool inferred) {
  OpenCall& place = new_place();
  place.call = new_call(frame, parent, owner, cpu, now, place.call.slot);
  frame.place = &place;
  frame.id = place.call.id;
  place.call.begin_inferred = inferred;
  place.parent = parent.place;
  if (place.call.parent != CallId::kNone) ++place.parent->children;
}

void OpenCalls::leaf(const Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns begin,
                     Ns end, CallResult result) {
  Call call = new_call(frame, parent, owner, cpu, begin, 0);
  call.end = std::max(end, call.begin);
  call.own = call.on_cpu = end - begin;
  call.pieces = end > begin ? 1 : 0;
  call.result = result;
  call.has_result = true;
  hand_over(call, parent.place);
}

void OpenCalls::add_wait(OpenCall& place, char letter, Ns time) {
  OpenCall::Wait* wait = &place.wait;
  while (wait->letter != letter && wait->next != 0) wait = &waits_[wait->next];
  if (wait->letter == letter) {
    wait->time += time;
  } else if (wait->letter == 0) {
    *wait = {time, 0, letter};
  } else if (free_wait_ != 0) {
    wait->next = free_wait_;
    free_wait_ = std::exchange(waits_[wait->next], {time, 0, letter}).next;
  } else {
    wait->next = static_cast<std::uint32_t>(waits_.size());
    waits_.push_back({time, 0, letter});
  }
}

// They are told from here on, and their room is free.
void OpenCalls::take_waits(OpenCall& place) {
  told_.clear();
  if (place.wait.letter == 0) return;
  told_.push_back({place.wait.letter, place.wait.time});
  for (std::uint32_t at = place.wait.next; at != 0;) {
    OpenCall::Wait& wait = waits_[at];
    told_.push_back({wait.letter, wait.time});
    const std::uint32_t next = std::exchange(wait.next, free_wait_);
    free_wait_ = std::exchange(at, next);
  }
  place.wait = {};
}

void OpenCalls::wait(const Frame& frame, char letter, Ns time, Ns until) {
  OpenCall& place = *frame.place;
  place.call.blocked += time;
  place.call.end = until;
  add_wait(place, letter, time);
}

// A call without open children that is called, however far down, by that one.
OpenCall& OpenCalls::youngest_child(OpenCall& of) {
  OpenCall* place = &of;
  while (place->children > 0) {
    const CallId parent = place->call.id;
    place = &*std::ranges::find_if(calls_, [&](const OpenCall& p) {
      return p.call.id != CallId::kNone && p.call.parent == parent;
    });
  }
  return *place;
}

void OpenCalls::end(const Frame& frame, Ns now, bool inferred) {
  check(is_open(frame), "a call ends once");
  OpenCall& place = *frame.place;
  // Only stacks that contradict each other leave a call open that its caller outlived.
  while (place.children > 0) end_place(youngest_child(place), now, true);
  end_place(place, now, inferred);
}

void OpenCalls::end_place(OpenCall& place, Ns now, bool inferred) {
  Call& call = place.call;
  call.end = std::max(now, call.end);  // not before what it did
  call.end_inferred = inferred;
  call.on_cpu += call.own;
  take_waits(place);
  call.waits = told_;
  if (call.parent != CallId::kNone) --place.parent->children;
  hand_over(call, place.parent);
  call.id = CallId::kNone;
  place.parent = std::exchange(free_, &place);
}

// It is over: its sums are its parent's, too.
void OpenCalls::hand_over(const Call& call, OpenCall* parent) {
  sink_.call(call);
  if (call.parent == CallId::kNone) return;
  check(parent != nullptr && parent->call.id == call.parent, "who made a call outlives it");
  parent->call.end = std::max(parent->call.end, call.end);
  parent->call.on_cpu += call.on_cpu;
  if (call.blocked == 0) return;
  parent->call.blocked += call.blocked;
  for (const WaitTime& wait : call.waits) add_wait(*parent, wait.letter, wait.time);
}

}  // namespace kutrace::spans
