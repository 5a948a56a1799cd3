// SPDX-License-Identifier: BSD-3-Clause
// Context switches and wakeups as the kernel's own events describe them. In: spans; out: which
// thread left a CPU and why, which one came, which woke which.
//
// The reason why a thread left is known only when it runs again, so switches come late, and in no
// order. A receiver that needs their order gets each also in its time, then without the reason.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/prefetch.h"
#include "emit/stream/thread_numbers.h"
#include "model/span.h"
#include "model/trace_info.h"

namespace kutrace::emit {

enum class LeftFor : std::uint8_t { kReady, kSleep, kDisk };

struct Switch {
  Ns time = 0;
  CpuId cpu = 0;
  Pid previous = 0;
  Pid next = 0;
  NameId previous_name = kNoName;
  NameId next_name = kNoName;
  LeftFor left = LeftFor::kReady;
};

struct Waking {
  Ns time = 0;    // behind the moment in which the thread left its CPU, before it runs again
  Ns woken = 0;   // when it was woken: the same, or at most 1 ns earlier
  CpuId cpu = 0;  // of the waker
  Pid waker = 0;
  Pid pid = 0;
  NameId name = kNoName;
  CpuId target = 0;
};

class Switches {
 public:
  using TakeSwitch = std::function<void(const Switch&)>;
  using TakeWaking = std::function<void(const Waking&)>;

  Switches(TakeSwitch take_switch, TakeWaking take_waking, TakeSwitch take_early = {})
      : take_switch_(std::move(take_switch)),
        take_waking_(std::move(take_waking)),
        take_early_(std::move(take_early)) {}

  // Executions, waits, wakeups and new names; others are passed over.
  void push(const Span& span);
  // The last wakeups, of threads that did not run any more, and the last switches: each CPU goes
  // idle at the end of the trace.
  void finish(Ns end);

  NameId name_of(Pid pid) const;
  // Of a thread; as many as there are threads that were met.
  std::uint32_t place_of(Pid pid) { return numbers_.of(pid); }
  // Spans of it come soon. Its place; ThreadNumbers::kNone: it was not met yet.
  std::uint32_t expect(Pid pid, Ahead ahead) const;

 private:
  static constexpr Ns kNever = INT64_MIN;

  struct Out {
    Ns time = 0;
    LeftFor left = LeftFor::kReady;
  };
  struct Wakeup {
    Ns time = kNever;
    CpuId cpu = 0;
    Pid waker = 0;
  };
  struct Thread {
    NameId name = kNoName;
    Ns ran_until = kNever;
    LeftFor left = LeftFor::kSleep;  // at `ran_until`, as far as it is known
    bool woken_at_once = false;      // in the moment in which it left
    bool ready = false;              // since it was woken, as its last wait says
    Wakeup last_wakeup;
    // A switch away from it of which it is not known yet why; and why it left, where the switch
    // is not seen yet.
    std::optional<Switch> waiting;
    std::vector<Out> known;
  };
  struct Cpu {
    bool seen = false;
    Pid pid = 0;
    std::uint32_t thread = 0;  // its place
  };

  static Pid pid_of(const Span& span);
  void execution(const Span& span);
  void runs_again(Thread& thread);
  void woken(Pid pid, const Wakeup& by, CpuId target, Ns runs);
  void switched(const Switch& told, Thread& left);
  void tell_early(const Switch& told) const {
    if (take_early_) take_early_(told);
  }
  // Valid until another one is asked for.
  Thread& at(Pid pid) { return met(place_of(pid)); }
  Thread& met(std::uint32_t place) {
    if (place >= threads_.size()) threads_.resize(place + std::size_t{1});
    return threads_[place];
  }

  TakeSwitch take_switch_;
  TakeWaking take_waking_;
  TakeSwitch take_early_;
  std::vector<Cpu> cpus_;
  ThreadNumbers numbers_;
  std::vector<Thread> threads_;  // by these
};

}  // namespace kutrace::emit
