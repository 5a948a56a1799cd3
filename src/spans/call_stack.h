// SPDX-License-Identifier: BSD-3-Clause
// What a thread is in the middle of: user code at the bottom, calls and interrupts above it.
#pragma once

#include <array>
#include <cstdint>

#include "base/check.h"
#include "base/units.h"
#include "model/call_kind.h"
#include "model/names.h"
#include "model/span.h"

namespace kutrace::spans {

struct Frame {
  EventNum call = 0;  // call event number; USER at the bottom
  std::uint64_t arg = 0;
  NameId name = kNoName;
  Level level = Level::kUser;
  SpanKind kind = SpanKind::kUser;
  // The call that it is, and where OpenCalls keeps it.
  CallId id = CallId::kNone;
  std::uint32_t place = 0;
};

// Whether `call` may begin while `top` runs. If not, the return from `top` was missed.
//   system call  in user code only
//   trap         in anything but the same trap
//   scheduler    in user code, a system call or a trap
//   softirq      in all of these
//   interrupt    in anything but an interrupt
//   NMI          in anything but itself
bool can_nest(const Frame& top, EventNum call);

class CallStack {
 public:
  static constexpr int kMaxDepth = 8;

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

 private:
  std::array<Frame, kMaxDepth> frames_;
  int depth_ = 0;
};

}  // namespace kutrace::spans
