// SPDX-License-Identifier: BSD-3-Clause
// What a thread is in the middle of: user code at the bottom, calls and interrupts above it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/check.h"
#include "base/units.h"
#include "model/call_kind.h"
#include "model/names.h"
#include "model/span.h"

namespace kutrace::spans {

// A call, and where OpenCalls keeps it.
struct CallPlace {
  CallId id = CallId::kNone;
  std::uint32_t slot = 0;
};

struct Frame {
  CallPlace place;  // of the call that it is
  std::uint64_t arg = 0;
  EventNum call = 0;  // call event number; USER at the bottom
  NameId name = kNoName;
  Level level = Level::kUser;
  SpanKind kind = SpanKind::kUser;
};

// Whether `call` may begin while `top` runs. If not, the return from `top` was missed.
//   system call  in user code only
//   trap         in anything but the same trap
//   scheduler    in user code, a system call or a trap
//   softirq      in all of these
//   interrupt    in anything but an interrupt
//   NMI          in anything but itself
bool can_nest(const Frame& top, EventNum call);

// The stack of a thread that does not run, above its bottom. There are as many as threads, and
// nearly all are in one call or in none, so only what is deeper has room of its own, and what the
// number of a call tells is not kept.
class KeptStack {
 public:
  static constexpr int kMaxDepth = 8;  // of frames, that at the bottom too

  int depth() const { return depth_; }  // 0: in nothing
  // Depth 1 is the outermost call.
  Frame at(int depth) const { return depth == 1 ? first_.frame() : kept(depth).frame(); }
  void push(const Frame& frame) {
    ++depth_;
    if (depth_ > 1 && deeper_ == nullptr) deeper_ = std::make_unique<Deeper>();
    (depth_ == 1 ? first_ : kept(depth_)) = {frame.place, frame.arg, frame.call, frame.name};
  }
  void pop() { --depth_; }
  void clear() { depth_ = 0; }

 private:
  struct Kept {
    Frame frame() const { return {place, arg, call, name, level_of(call), kind_of(call)}; }

    CallPlace place;
    std::uint64_t arg = 0;
    EventNum call = 0;
    NameId name = kNoName;
  };
  using Deeper = std::array<Kept, kMaxDepth - 2>;

  Kept& kept(int depth) { return (*deeper_)[static_cast<std::size_t>(depth - 2)]; }
  const Kept& kept(int depth) const { return (*deeper_)[static_cast<std::size_t>(depth - 2)]; }

  Kept first_;
  std::unique_ptr<Deeper> deeper_;  // from depth 2 on
  std::int8_t depth_ = 0;
};

// The stack of what runs on a CPU: the thread at the bottom (depth 0), calls and interrupts above.
class CallStack {
 public:
  static constexpr int kMaxDepth = KeptStack::kMaxDepth;

  Frame& top() { return frames_[static_cast<std::size_t>(depth_)]; }
  const Frame& top() const { return frames_[static_cast<std::size_t>(depth_)]; }
  Frame& bottom() { return frames_[0]; }
  const Frame& bottom() const { return frames_[0]; }
  Frame& at(int depth) { return frames_[static_cast<std::size_t>(depth)]; }
  const Frame& at(int depth) const { return frames_[static_cast<std::size_t>(depth)]; }
  int depth() const { return depth_; }  // 0: only the bottom
  bool full() const { return depth_ + 1 == kMaxDepth; }
  void push(const Frame& frame) {
    check(!full(), "a call stack holds what is pushed");
    frames_[static_cast<std::size_t>(++depth_)] = frame;
  }
  void pop() {
    check(depth_ > 0, "what ends has begun");
    --depth_;
  }
  void clear() { depth_ = 0; }
  // Depth at which `call` stands, 0 if nowhere.
  int find(EventNum call) const;

  void take(const Frame& bottom, const KeptStack& kept) {
    depth_ = kept.depth();
    frames_[0] = bottom;
    for (int depth = 1; depth <= depth_; ++depth) at(depth) = kept.at(depth);
  }
  void keep_in(KeptStack& kept) const {
    kept.clear();
    for (int depth = 1; depth <= depth_; ++depth) kept.push(at(depth));
  }

 private:
  std::array<Frame, kMaxDepth> frames_;
  int depth_ = 0;
};

}  // namespace kutrace::spans
