// SPDX-License-Identifier: BSD-3-Clause
// Calls that are under way. In: where a call begins, its pieces, its waits and its end; out: the
// whole call, to the sink, once it is over.
//
// A frame of a stack names its call. Stacks are copied when threads are switched, and after a loss
// an old one may come back, so a frame may name a call that is over: `is_open` tells.
#pragma once

#include <cstdint>
#include <deque>
#include <ranges>
#include <vector>

#include "model/call.h"
#include "model/span_sink.h"
#include "spans/call_stack.h"

namespace kutrace::spans {

struct OpenCall {
  // Time that it waited for one reason.
  struct Wait {
    Ns time = 0;
    std::uint32_t next = 0;  // in OpenCalls::waits_; 0: that is all
    char letter = 0;         // 0: it did not wait
  };

  OpenCall* parent = nullptr;  // if call.parent is open; of a free place, the next one
  std::uint32_t children = 0;  // that are open
  Wait wait;                   // most calls wait for one reason, or for none
  Call call;                   // its id is kNone where none is open
};

class OpenCalls {
 public:
  explicit OpenCalls(SpanSink& sink) : sink_(sink), waits_(1) {}

  struct Owner {
    ThreadId thread = ThreadId::kNone;
    Pid pid = 0;
  };

  static bool is_open(const Frame& frame) {
    return frame.id != CallId::kNone && frame.place->call.id == frame.id;
  }
  static Ns begin_of(const Frame& frame) { return frame.place->call.begin; }
  static std::uint32_t slot_of(const Frame& frame) { return frame.place->call.slot; }
  // The frame is a whole call, in which nothing happens. A piece of it, if it is not over at once,
  // is pushed before, with `next_id` as its call. Its slot is 0, which no other call has.
  void leaf(const Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns begin, Ns end,
            CallResult result);
  CallId next_id() const { return CallId{last_id_ + 1 != 0 ? last_id_ + 1 : 1}; }
  // The frame becomes a call; `parent` is the one below it, or the bottom of the stack.
  void begin(Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now, bool inferred);
  static void piece(const Frame& frame, CpuId cpu, Ns time, Ns until) {
    Call& call = frame.place->call;
    call.end = until;
    call.own += time;
    ++call.pieces;
    call.cpu = cpu;
  }
  void wait(const Frame& frame, char letter, Ns time, Ns until);
  static void result(const Frame& frame, CallResult result) {
    Call& call = frame.place->call;
    call.result = result;
    call.has_result = true;
  }
  // The call is over, and all that it called.
  void end(const Frame& frame, Ns now, bool inferred);
  // What is still open ends at the time that `end_of` gives for its thread's number. No frame may
  // be asked about after that.
  template <typename EndOf>
  void end_all(const EndOf& end_of) {
    for (OpenCall& place : calls_ | std::views::reverse) {
      while (place.call.id != CallId::kNone) {
        OpenCall& child = youngest_child(place);
        end_place(child, end_of(child.call.pid), true);
      }
    }
    calls_.clear();
    free_ = nullptr;
  }

 private:
  OpenCall& new_place();
  Call new_call(const Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now,
                std::uint32_t slot);
  void hand_over(const Call& call, OpenCall* parent);
  void end_place(OpenCall& place, Ns now, bool inferred);
  OpenCall& youngest_child(OpenCall& of);
  void add_wait(OpenCall& place, char letter, Ns time);
  void take_waits(OpenCall& place);

  SpanSink& sink_;
  std::deque<OpenCall> calls_;  // they stay where they are
  OpenCall* free_ = nullptr;
  std::vector<OpenCall::Wait> waits_;  // beyond the first of each call; nothing is at 0
  std::uint32_t free_wait_ = 0;
  std::vector<WaitTime> told_;  // of the call that is handed over
  std::uint32_t last_id_ = 0;
};

}  // namespace kutrace::spans
