// SPDX-License-Identifier: BSD-3-Clause
// Calls that are under way. In: where a call begins, its pieces, its waits and its end; out: the
// whole call, to the sink, once it is over.
//
// A frame of a stack names its call. Stacks are copied when threads are switched, and after a loss
// an old one may come back, so a frame may name a call that is over: `is_open` tells.
#pragma once

#include <cstdint>
#include <vector>

#include "model/call.h"
#include "spans/call_stack.h"

namespace kutrace {

class OpenCalls {
 public:
  explicit OpenCalls(SpanSink& sink) : sink_(sink) {}

  struct Owner {
    ThreadId thread = ThreadId::kNone;
    Pid pid = 0;
  };

  bool is_open(const Frame& frame) const {
    return frame.id != CallId::kNone && calls_[frame.place].call.id == frame.id;
  }
  Ns begin_of(const Frame& frame) const { return calls_[frame.place].call.begin; }
  // The frame becomes a call; `parent` is the one below it, or the bottom of the stack.
  void begin(Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now, bool inferred);
  void piece(const Frame& frame, CpuId cpu, Ns time, Ns until) {
    Call& call = calls_[frame.place].call;
    call.end = until;
    call.own += time;
    ++call.pieces;
    call.cpu = cpu;
  }
  void wait(const Frame& frame, char letter, Ns time, Ns until);
  void result(const Frame& frame, std::uint16_t result);
  // The call is over, and all that it called.
  void end(const Frame& frame, Ns now, bool inferred);
  // What is still open ends at the time that `end_of` gives for its thread's number.
  template <typename EndOf>
  void end_all(const EndOf& end_of) {
    for (std::size_t place = calls_.size(); place-- > 0;) {
      while (calls_[place].call.id != CallId::kNone) {
        const std::size_t child = youngest_child(place);
        end_place(child, end_of(calls_[child].call.pid), true);
      }
    }
  }

 private:
  struct Place {
    Call call;
    std::uint32_t parent = 0;    // its place, if call.parent is open
    std::uint32_t children = 0;  // that are open
    std::vector<WaitTime> waits;
  };

  void end_place(std::size_t place, Ns now, bool inferred);
  std::size_t youngest_child(std::size_t place) const;
  static void add(std::vector<WaitTime>& waits, char letter, Ns time);

  SpanSink& sink_;
  std::vector<Place> calls_;
  std::vector<std::uint32_t> free_;
  std::uint32_t last_id_ = 0;
};

}  // namespace kutrace
