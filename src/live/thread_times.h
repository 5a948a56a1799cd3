// SPDX-License-Identifier: BSD-3-Clause
// Where each thread's time goes, interval by interval, while it goes. In: events and spans of a
// live stream; out: for each interval a row for each thread, in ns, whose parts add up to the
// interval.
//
// Events say at once whether a thread runs, is ready or waits; what it waited for is known from
// spans, when it wakes. Until then its wait is under way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "live/lane.h"
#include "model/call.h"
#include "model/span_sink.h"
#include "reports/wait_times.h"
#include "timeline/event.h"

namespace kutrace::live {

struct ThreadRow {
  Pid tid = kNoPid;
  Pid process = kNoPid;
  std::string name;
  Ns on_cpu = 0;
  Ns ready = 0;
  reports::WaitTimes waits{};  // that ended, by letter
  Ns under_way = 0;            // of a wait that has not ended
  Ns unseen = 0;               // it was not there, or nothing was known of it
  std::uint64_t calls = 0;     // that ended
  Ns p99 = 0;                  // of their lengths; 0: there were none

  Ns waiting() const;
};

struct MachineRow {
  Ns begin = 0;
  Ns length = 0;
  std::size_t cpus = 0;
  Ns busy = 0;  // of all CPUs
  std::uint64_t calls = 0;
  std::uint64_t interrupts = 0;
  std::uint64_t switches = 0;
};

struct TimesOfInterval {
  MachineRow machine;
  std::vector<ThreadRow> threads;
};

class ThreadTimes {
 public:
  // Events of all CPUs, in order of time. For LiveOptions::on_event.
  void event(const timeline::Event& event);
  // A sink for a lane's spans, calls and lives. This object must outlive it.
  std::unique_ptr<SpanSink> sink(const LaneView& view);
  // All that happened until `end`, where the next interval begins. `is_gone` is asked about threads
  // that wait: one that has ended is told of for the last time.
  TimesOfInterval take(Ns end, const std::function<bool(Pid)>& is_gone);

 private:
  class Sink;
  enum class Doing : std::uint8_t { kWaits, kReady, kRuns };
  struct Thread {
    Doing doing = Doing::kWaits;
    Ns since = 0;
    Ns on_cpu = 0;
    Ns ready = 0;
    Ns waited = 0;
    reports::WaitTimes waits{};
    std::vector<std::uint32_t> calls;  // lengths in ns, the longest that fits
    Pid process = kNoPid;
    std::string name;
    bool has_ended = false;
  };

  Thread& thread(Pid pid, Ns now);
  void turn(Pid pid, Doing doing, Ns now);
  void switch_to(CpuId cpu, Pid pid, std::uint32_t arg, Ns now);
  void told(const timeline::Event& event);
  void wait(const Span& span);
  void call(const Call& call);
  void ended(Pid pid);
  static void settle(Thread& thread, Ns now);

  std::unordered_map<Pid, Thread> threads_;
  std::unordered_map<CpuId, Pid> running_;
  Ns begin_ = 0;
  std::uint64_t interrupts_ = 0;
  std::uint64_t switches_ = 0;
};

}  // namespace kutrace::live
