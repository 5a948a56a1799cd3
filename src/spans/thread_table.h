// SPDX-License-Identifier: BSD-3-Clause
// What is known of each thread while a trace is replayed.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/units.h"
#include "model/call.h"
#include "model/names.h"
#include "model/trace_info.h"
#include "spans/call_stack.h"

namespace kutrace::spans {

constexpr Ns kNever = -1;
// Before any time that a damaged trace may name.
constexpr Ns kNotYet = std::numeric_limits<Ns>::min();

// How a thread was when it was last switched away from.
enum class Left : std::uint8_t { kUnknown, kRunnable, kBlocked };

struct Thread {
  bool switched_while_in_call = false;  // it may have left that call unseen, see execution.h
  bool ran_before = false;              // it was switched away from at least once
  bool called = false;  // a call or fault of it, or the end of one, was seen; or it began later
  bool running = false;
  bool hidden = false;  // what it does is not in the trace, see Execution::hide
  Left left = Left::kUnknown;
  std::uint32_t rpc = 0;
  Ns stopped = kNever;  // end of its last execution
  // The latest wakeup since then.
  Ns woken = kNever;
  CpuId waker_cpu = kNoCpu;
  Pid waker = kNoPid;
  // So far. Where it has not begun, its end is that of the thread that had the number before.
  ThreadLife life{.begin = kNotYet, .end = kNotYet};
  Frame scheduler;  // the scheduler call in which it was switched away, if that is open
  KeptStack stack;  // what it is in the middle of; its bottom is the thread itself
  ThreadInfo info;
  // Its name until it got the present one, and when that was.
  NameId name_before = kNoName;
  Ns renamed = kNever;
};

class ThreadTable {
 public:
  explicit ThreadTable(NameId idle_name);

  Thread& get(Pid pid) {
    Thread* const known = place_of(pid);
    return known != nullptr ? *known : add(pid);
  }
  Thread* find(Pid pid);
  // Null: none that is known, or a number that Linux does not give.
  const Thread* known_at(Pid pid) const { return place_of(pid); }
  // A new thread has this pid: what the old one was doing says nothing about it.
  Thread& renew(Pid pid);
  void set_name(Pid pid, NameId name);
  // Says whether the thread has no user mode; the bottom of its stack follows.
  void set_kernel_thread(Pid pid, bool kernel_thread);
  // By number.
  std::vector<std::pair<Pid, const ThreadInfo*>> known() const;
  std::size_t size() const { return threads_.size(); }
  auto begin() { return threads_.begin(); }
  auto end() { return threads_.end(); }

 private:
  // Where the threads stand, by number, as far as Linux gives numbers.
  static constexpr Pid kNumbers = 1 << 22;
  static constexpr Pid kOfChunk = 1 << 10;
  using Chunk = std::array<Thread*, kOfChunk>;

  static bool is_linux_number(Pid pid) { return pid >= 0 && pid < kNumbers; }
  Thread* place_of(Pid pid) const {
    if (!is_linux_number(pid)) return nullptr;
    const Chunk* const chunk = chunks_[static_cast<std::size_t>(pid / kOfChunk)].get();
    return chunk != nullptr ? (*chunk)[static_cast<std::size_t>(pid % kOfChunk)] : nullptr;
  }
  Thread& add(Pid pid);
  static void set_bottom(Pid pid, Thread& thread);
  void set_life(Pid pid, Thread& thread);

  std::unordered_map<Pid, Thread> threads_;
  std::array<std::unique_ptr<Chunk>, kNumbers / kOfChunk> chunks_;
  NameId idle_name_;
  std::uint32_t last_id_ = 0;
};

}  // namespace kutrace::spans
