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
#include "model/span_sink.h"
#include "spans/call_stack.h"

namespace kutrace::spans {

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
  // The frame is a whole call, in which nothing happens. A piece of it, if it is not over at once,
  // is pushed before, with `next_id` as its call.
  void leaf(const Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns begin, Ns end,
            CallResult result);
  CallId next_id() const { return CallId{last_id_ + 1 != 0 ? last_id_ + 1 : 1}; }
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
  void result(const Frame& frame, CallResult result);
  // The call is over, and all that it called.
  void end(const Frame& frame, Ns now, bool inferred);
  // What is still open ends at the time that `end_of` gives for its thread's number.
  template <typename EndOf>
  void end_all(const EndOf& end_of) {
    for (auto place = static_cast<std::uint32_t>(calls_.size()); place-- > 0;) {
      while (calls_[place].call.id != CallId::kNone) {
        const std::uint32_t child = youngest_child(place);
        end_place(child, end_of(calls_[child].call.pid), true);
      }
    }
  }

 private:
  static constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

  struct Place {
    Call call;
    std::uint32_t parent = 0;    // its place, if call.parent is open; of a free one, the next
    std::uint32_t children = 0;  // that are open
    std::vector<WaitTime> waits;
  };

  Call new_call(const Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now);
  void hand_over(const Call& call, std::uint32_t parent);
  void end_place(std::uint32_t at, Ns now, bool inferred);
  std::uint32_t youngest_child(std::uint32_t place) const;
  static void add(std::vector<WaitTime>& waits, char letter, Ns time);

  SpanSink& sink_;
  std::vector<Place> calls_;
  std::uint32_t free_ = kNoPlace;
  std::uint32_t last_id_ = 0;
};

}  // namespace kutrace::spans
