// SPDX-License-Identifier: BSD-3-Clause
// Ordered events to spans: one handler per kind of event, each handing over to the tracker of its
// concept. Enters the stream of timeline/event_stream.h; spans leave to the sink, facts to the
// info.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "model/sample_names.h"
#include "model/trace_info.h"
#include "spans/execution.h"
#include "spans/idle_exit.h"
#include "spans/ipc_average.h"
#include "spans/locks.h"
#include "spans/messages.h"
#include "spans/name_book.h"
#include "spans/wakeups.h"
#include "timeline/event.h"
#include "timeline/meta_text.h"
#include "timeline/trace_layout.h"

namespace kutrace {

class SpanBuilder {
 public:
  SpanBuilder(const TraceLayout& layout, NameTable& names, SpanSink& sink);

  void push(const Event& event);
  // Closes what is open; returns all that is known of the trace.
  TraceInfo finish();

 private:
  struct CpuFacts {
    Ns ipi_sent = kNever;  // latest IPI to this CPU that nothing answered yet
    CpuId ipi_from = kNoCpu;
    bool ipi_by_store = false;  // a store to what the CPU monitors: no interrupt answers it
    char ipi_reason = 0;        // why a thread waited that this CPU wakes on behalf of the sender
    Ns last_sample = kNever;
    Ns last_frequency = kNever;
    std::uint32_t mhz = 0;   // said last
    bool mhz_holds = false;  // it speaks of the time after it
    IpcAverage ipc;
    bool header_waits = false;  // the thread of a block header contradicts what was known
    Pid header_pid = 0;
    Ns header_time = 0;
    bool started = false;
    std::vector<LossRecord> losses_ahead;  // declared before their time has come
  };

  void add_cpus(const TraceLayout& layout);
  void count(const Event& event);
  void variable_length(const Event& event);
  void name_thread(const Event& event, Pid pid, const std::string& text);
  void task(const Event& event);
  void renumber(const Event& event, Pid before);
  void start_inside(Pid pid, EventNum call, std::uint32_t arg, Ns now);
  void loss(const Event& event);
  void apply_loss(CpuFacts& facts, const LossRecord& record);
  void apply_next_loss(CpuFacts& facts);
  void gap(const Event& event, CpuFacts& facts);
  void block_start(const Event& event, CpuFacts& facts);
  void unseen_switch(const Event& event, CpuFacts& facts);
  void settle_header(CpuFacts& facts, CpuId cpu);
  void point(const Event& event, CpuFacts& facts);
  void context_switch(const Event& event);
  void mwait(const Event& event);
  void leave_idle(const Event& event, CpuFacts& facts);
  void send_ipi(const Event& event);
  void ipi_arc(CpuFacts& facts, CpuId cpu, Ns now);
  void sample(const Event& event, CpuFacts& facts);
  void frequency(const Event& event, CpuFacts& facts);
  void frequency_until(CpuId cpu, Ns now, CpuFacts& facts, std::uint32_t mhz);
  void answer_ipi(const Event& event, CpuFacts& facts);
  void runnable(const Event& event, const CpuFacts& facts);
  void rpc_point(const Event& event);
  Span point_span(const Event& event, SpanKind kind) const;
  Ipc ipc_of(const Event& event);
  void wake_forked(const Event& event, EventNum call, std::uint16_t result);
  Pid real_pid(std::uint32_t pid) const;
  Pid whole_pid(std::uint32_t pid) const;
  Pid header_pid(std::uint32_t said) const;
  void learn_wide_pids(const TraceLayout& layout);
  CpuFacts& facts_of(CpuId cpu) { return cpus_[cpu]; }
  void end_of_recording();

  NameTable& names_;
  SpanSink& sink_;
  TraceInfo info_;
  TraceClock clock_;
  bool complete_;
  bool wrapped_;
  bool free_bsd_ = false;   // block headers name threads by a number greater by 100000
  bool one_clock_ = false;  // a frequency notice on one CPU speaks of all
  bool own_source_;     // recorded by this project: wakeups of new threads are events of their own
  bool filtered_;       // whose doings were recorded was limited
  bool switches_;       // recorded; if not, nobody knows whose time it is
  bool calls_;          // recorded; if not, one known to be under way would never end
  bool fault_returns_;  // if not, a page fault is a moment
  bool measured_;       // entries have a trailer
  NameBook book_;
  SampleNames sample_names_;
  ThreadTable threads_;
  Execution execution_;
  Wakeups wakeups_;
  Locks locks_;
  Messages messages_;
  IdleExit idle_exit_;
  MetaText meta_;
  std::vector<CpuFacts> cpus_;  // by CPU number
  std::array<std::uint64_t, 0x1000> by_event_{};
  std::unordered_map<Pid, Pid> wide_pids_;  // low 16 bits -> thread, where headers tell
  std::unordered_set<Pid> idle_aliases_;    // threads that are a CPU's idle thread under another id
};

}  // namespace kutrace
