// SPDX-License-Identifier: BSD-3-Clause
// Sums of calls, handed from those that end to those that made them.
#include "spans/open_calls.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace kutrace::spans {

// Place 0 of both tables stays free, so that 0 can mean "none" in a link.
OpenCalls::OpenCalls(SpanSink& sink) : sink_(sink), waits_(1) { calls_.add(); }

OpenCall* OpenCalls::open(CallPlace call) { return is_open(call) ? &calls_[call.slot] : nullptr; }

// Of a call that is kept beside its thread's stack (the scheduler): the frame is made again.
Frame OpenCalls::frame_of(CallPlace place) const {
  const OpenCall& call = calls_[place.slot];
  return {place, call.arg, call.event, call.name, level_of(call.event), kind_of(call.event)};
}

std::uint32_t OpenCalls::new_place() {
  if (free_ != kNoPlace) return std::exchange(free_, calls_[free_].parent);
  calls_.add();
  return slots() - 1;
}

void OpenCalls::begin(Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now,
                      bool inferred) {
  last_id_ = static_cast<std::uint32_t>(next_id());
  OpenCall* const maker = open(parent.place);
  if (maker != nullptr) {
    // Children lie inside their parents (the law of calls), also where an inferred begin says
    // otherwise.
    now = std::max(now, maker->begin);
    ++maker->children;
  }
  frame.place = {CallId{last_id_}, new_place()};
  // Nearly all traces have no arguments: one branch, not a look-up for each call.
  if (details_.is_used()) details_.begins(frame.place.id, frame.call);
  calls_[frame.place.slot] = {
      .arg = frame.arg,
      .begin = now,
      .end = now,
      .wait = {},
      .id = frame.place.id,
      .parent = maker != nullptr ? parent.place.slot : kNoPlace,
      .thread = owner.thread,
      .pid = owner.pid,
      .cpu = cpu,
      .event = frame.call,
      .name = frame.name,
      .begin_inferred = inferred,
  };
}

// A folded call is open for no time that anything could happen in: it takes no place, and is handed
// over at once.
void OpenCalls::leaf(const Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns begin,
                     Ns end, bool executed, CallResult result) {
  last_id_ = static_cast<std::uint32_t>(next_id());
  OpenCall* const maker = open(parent.place);
  const Ns since = maker != nullptr ? std::max(begin, maker->begin) : begin;
  const Ns own = executed ? end - begin : 0;
  if (details_.is_used()) details_.begins(CallId{last_id_}, frame.call);
  hand_over(
      {
          .id = CallId{last_id_},
          .parent = maker != nullptr ? parent.place.id : CallId::kNone,
          .parent_slot = maker != nullptr ? parent.place.slot : kNoPlace,
          .thread = owner.thread,
          .pid = owner.pid,
          .cpu = cpu,
          .event = frame.call,
          .arg = frame.arg,
          .name = frame.name,
          .kind = frame.kind,
          .begin = since,
          .end = std::max(end, since),
          .own = own,
          .on_cpu = own,
          .pieces = own > 0 ? 1U : 0U,
          .result = result,
          .has_result = true,
          .waits = {},
      },
      maker);
}

void OpenCalls::add_wait(OpenCall& place, char letter, Ns time) {
  // A list with its first part inside the call: a call that waits for one reason, as nearly all do,
  // takes nothing from `waits_`.
  OpenCall::Wait* wait = &place.wait;
  while (wait->letter != letter && wait->next != 0) wait = &waits_[wait->next];
  if (wait->letter == letter) {
    wait->time += time;
  } else if (wait->letter == 0) {
    *wait = {time, 0, letter};
  } else if (free_wait_ != 0) {
    // The free places are a list through `next`, too.
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

void OpenCalls::wait(CallPlace place, char letter, Ns time, Ns until) {
  OpenCall& call = calls_[place.slot];
  call.end = until;
  add_wait(call, letter, time);
}

// A call without open children that is called, however far down, by that one.
// The search looks at all calls, but only damaged traces get here (see end).
std::uint32_t OpenCalls::youngest_child(std::uint32_t of) const {
  while (calls_[of].children > 0) {
    std::uint32_t child = 1;
    while (calls_[child].id == CallId::kNone || calls_[child].parent != of) ++child;
    of = child;
  }
  return of;
}

void OpenCalls::end(CallPlace call, Ns now, Ending ending) {
  check(is_open(call), "a call ends once");
  // Only stacks that contradict each other leave a call open that its caller outlived.
  while (calls_[call.slot].children > 0) {
    end_place(youngest_child(call.slot), now, {.inferred = true});
  }
  end_place(call.slot, now, ending);
}

void OpenCalls::end_place(std::uint32_t slot, Ns now, Ending ending) {
  OpenCall& call = calls_[slot];
  OpenCall* const maker = call.parent != kNoPlace ? &calls_[call.parent] : nullptr;
  // Every open child counts in its maker, which so cannot end before it.
  check(maker == nullptr || maker->id != CallId::kNone, "who made a call outlives it");
  Ns blocked = 0;
  take_waits(call);
  for (const WaitTime& wait : told_) blocked += wait.time;
  hand_over(
      {
          .id = call.id,
          .parent = maker != nullptr ? maker->id : CallId::kNone,
          .slot = slot,
          .parent_slot = call.parent,
          .thread = call.thread,
          .pid = call.pid,
          .cpu = call.cpu,
          .event = call.event,
          .arg = call.arg,
          .name = call.name,
          .kind = kind_of(call.event),
          .begin = call.begin,
          .end = std::max(now, call.end),  // not before what it did
          .own = call.own,
          .on_cpu = call.own + call.called,
          .blocked = blocked,
          .pieces = call.pieces,
          .result = ending.result,
          .has_result = ending.has_result,
          .begin_inferred = call.begin_inferred,
          .end_inferred = ending.inferred,
          .waits = told_,
      },
      maker);
  if (maker != nullptr) {
    --maker->children;
    // What a thread waited in a call, it waited in all the calls around it. `told_` is still this
    // call's: handing over does not end other calls.
    for (const WaitTime& wait : told_) add_wait(*maker, wait.letter, wait.time);
  }
  call.id = CallId::kNone;
  // Free places are used again at once, the last one first: slots stay as few as calls were ever
  // open at once (Call::slot).
  call.parent = std::exchange(free_, slot);
}

// It is over: its time is its maker's, too.
void OpenCalls::hand_over(Call&& call, OpenCall* maker) {
  if (details_.is_used()) call.details = details_.ends(call);
  sink_.call(call);
  if (maker == nullptr) return;
  maker->end = std::max(maker->end, call.end);
  maker->called += call.on_cpu;
}

}  // namespace kutrace::spans
