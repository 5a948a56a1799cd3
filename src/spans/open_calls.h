// SPDX-License-Identifier: BSD-3-Clause
// Calls that are under way. In: where a call begins, its pieces, its waits and its end; out: the
// whole call, to the sink, once it is over.
//
// A frame of a stack names its call. Stacks are copied when threads are switched, and after a loss
// an old one may come back, so a frame may name a call that is over: `is_open` tells.
#pragma once

#include <cstdint>
#include <vector>

#include "base/chunked.h"
#include "base/prefetch.h"
#include "model/call.h"
#include "model/span_sink.h"
#include "spans/call_stack.h"
#include "spans/open_details.h"

namespace kutrace::spans {

struct OpenCall {
  // Time that it waited for one reason.
  struct Wait {
    Ns time = 0;
    std::uint32_t next = 0;  // in OpenCalls::waits_; 0: that is all
    char letter = 0;         // 0: it did not wait
  };

  // As in Call (model/call.h), which is made of this when it is over.
  std::uint64_t arg = 0;
  Ns begin = 0;
  Ns end = 0;  // so far
  Ns own = 0;
  Ns called = 0;               // on a CPU in what it called
  Wait wait;                   // most calls wait for one reason, or for none
  CallId id = CallId::kNone;   // kNone: a free place
  std::uint32_t parent = 0;    // its place; 0: none. Of a free place, the next one.
  std::uint32_t children = 0;  // that are open
  std::uint32_t pieces = 0;
  ThreadId thread = ThreadId::kNone;
  Pid pid = kNoPid;
  CpuId cpu = kNoCpu;
  EventNum event = 0;
  NameId name = kNoName;
  bool begin_inferred = false;
};
// There are as many as threads that wait.
static_assert(sizeof(OpenCall) <= 96);

class OpenCalls {
 public:
  explicit OpenCalls(SpanSink& sink);

  struct Owner {
    ThreadId thread = ThreadId::kNone;
    Pid pid = 0;
  };

  struct Ending {
    CallResult result = {};  // where `has_result`
    bool has_result = false;
    bool inferred = false;  // it was not seen
  };

  bool is_open(CallPlace call) const {
    return call.id != CallId::kNone && calls_[call.slot].id == call.id;
  }
  Ns begin_of(CallPlace call) const { return calls_[call.slot].begin; }
  // The frame that has become this call, which is open.
  Frame frame_of(CallPlace place) const;
  // For a caller that is about to look it up.
  void fetch(CallPlace call) const { prefetch(&calls_[call.slot]); }
  // The frame is a whole call, in which nothing happens. A piece of it, if it is not over at once,
  // is pushed before, with `next_id` as its call. Its slot is 0, which no other call has.
  // Whether it executed for all of its time is known, or not.
  void leaf(const Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns begin, Ns end,
            bool executed, CallResult result);
  OpenDetails& details() { return details_; }
  // The id that the next call will have.
  CallId next_id() const { return CallId{last_id_ + 1 != 0 ? last_id_ + 1 : 1}; }
  // The frame becomes a call that begins at `now` (not before its parent); `parent` is the frame
  // below it, or the bottom of the stack. `inferred`: nobody saw the begin.
  void begin(Frame& frame, const Frame& parent, Owner owner, CpuId cpu, Ns now, bool inferred);
  // The open call executed on the CPU for `time` ns, up to `until`.
  void piece(CallPlace place, CpuId cpu, Ns time, Ns until) {
    OpenCall& call = calls_[place.slot];
    call.end = until;
    call.own += time;
    ++call.pieces;
    call.cpu = cpu;
  }
  // The open call went on up to `until`. Whether it executed is not known.
  void goes_on(CallPlace place, Ns until) { calls_[place.slot].end = until; }
  // Its thread waited in it for `time` ns, up to `until`, for the reason `letter`.
  void wait(CallPlace place, char letter, Ns time, Ns until);
  // The open call ends at `now`, or where what it called ended later; so does everything that it
  // called.
  void end(CallPlace call, Ns now, Ending ending);
  // What is still open ends at the time that `end_of` gives for its thread's number. No frame may
  // be asked about after that.
  template <typename EndOf>
  void end_all(const EndOf& end_of) {
    for (std::uint32_t slot = slots(); slot-- > 0;) {
      while (calls_[slot].id != CallId::kNone) {
        const std::uint32_t child = youngest_child(slot);
        end_place(child, end_of(calls_[child].pid), {.inferred = true});
      }
    }
    calls_.clear();
  }

 private:
  // Of the place that no call has. Places from 1 on are calls.
  static constexpr std::uint32_t kNoPlace = 0;

  std::uint32_t slots() const { return static_cast<std::uint32_t>(calls_.size()); }
  std::uint32_t new_place();
  OpenCall* open(CallPlace call);                // null: it is not
  void hand_over(Call&& call, OpenCall* maker);  // not copied: a call is long
  void end_place(std::uint32_t slot, Ns now, Ending ending);
  std::uint32_t youngest_child(std::uint32_t of) const;
  void add_wait(OpenCall& place, char letter, Ns time);
  void take_waits(OpenCall& place);

  SpanSink& sink_;
  Chunked<OpenCall> calls_;  // by slot
  std::uint32_t free_ = kNoPlace;
  std::vector<OpenCall::Wait> waits_;  // beyond the first of each call; nothing is at 0
  std::uint32_t free_wait_ = 0;
  std::vector<WaitTime> told_;  // of the call that is handed over
  OpenDetails details_;
  std::uint32_t last_id_ = 0;
};

}  // namespace kutrace::spans
