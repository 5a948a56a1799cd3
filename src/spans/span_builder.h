// SPDX-License-Identifier: BSD-3-Clause
// Ordered events to spans. In: facts about the stream, then its events in order of time; out:
// spans, calls and lives to the sink, from its begin to its end. One table says which member
// handles an event; each hands it to the tracker of its concept.
#pragma once

#include <vector>

#include "base/prefetch.h"
#include "format/event_table.h"
#include "format/group_times.h"
#include "model/trace_info.h"
#include "spans/call_arguments.h"
#include "spans/captured_packets.h"
#include "spans/descriptors.h"
#include "spans/event_tally.h"
#include "spans/execution.h"
#include "spans/frequencies.h"
#include "spans/functions.h"
#include "spans/idle_exit.h"
#include "spans/ipc_average.h"
#include "spans/ipis.h"
#include "spans/locks.h"
#include "spans/lost_time.h"
#include "spans/messages.h"
#include "spans/name_book.h"
#include "spans/program_counters.h"
#include "spans/samples.h"
#include "spans/stacks.h"
#include "spans/thread_ids.h"
#include "spans/thread_news.h"
#include "spans/wakeups.h"
#include "spans/wide_numbers.h"
#include "timeline/event.h"
#include "timeline/meta_text.h"
#include "timeline/stream_facts.h"

namespace kutrace::spans {

class SpanBuilder {
 public:
  // All references must outlive this object.
  SpanBuilder(const timeline::StreamFacts& facts, NameTable& names, SpanSink& sink);

  // Not earlier than the event before. Its payload need not outlive the call.
  void push(const timeline::Event& event);
  // Groups of events are switched on or off while the stream is still being recorded. No event
  // after the change may have been pushed.
  void groups_change(const GroupChange& change);
  // Whether expect() is worthwhile.
  bool has_many_threads() const { return threads_.size() >= kManyThreads; }
  // The event comes soon: fetches what is known of its thread, and then of the call that the thread
  // is in, from memory. Changes nothing.
  void expect(const timeline::Event& event, Ahead ahead) const {
    const EventNum number = event.entry.number;
    if (number != ev::kUSERPID && number != ev::kRUNNABLE) return;
    const auto pid = static_cast<Pid>(decode::switched_to(event.entry.arg));
    const Thread* const thread = threads_.find(pid);
    const bool is_fetched = thread != nullptr && ahead == Ahead::kNear;
    sink_.expect(pid, is_fetched ? thread->id : ThreadId::kNone, ahead);
    if (thread == nullptr) return;
    if (ahead == Ahead::kFar) {
      prefetch(thread);
    } else {
      const bool in_scheduler = thread->scheduler.id != CallId::kNone;
      execution_.calls().fetch(in_scheduler ? thread->scheduler : thread->top().place);
    }
  }
  // Closes what is open and ends the stream; `read`: what reading the events counted. Returns all
  // that is known of the trace. Once.
  TraceInfo finish(const Counters& read);
  // That it keeps.
  std::size_t losses() const { return info_.losses.size(); }

 private:
  struct Handlers;  // the table

  TraceInfo what_is_known() const;
  // And what other entries tell of processes.
  void take_facts(const Facts& facts, TraceInfo& info) const;
  void of_cpu(const timeline::Event& event);
  bool is_left_out(EventGroup group) const { return left_out_.has_bit(group); }
  void catch_up(Ns until);
  void apply_changes(Ns until);
  void leave_out(EventGroups groups, Ns at);

  // Blocks.
  void block_start(const timeline::Event& event);
  void gap(const timeline::Event& event) {
    lost_.gap(event.cpu, event.time, event.time + event.duration);
  }

  // Calls.
  void wide(const timeline::Event& event) {
    if (!is_left_out(EventGroup::kSyscalls)) wide_numbers_.push(event);
  }
  void arguments(const timeline::Event& event) {
    if (!is_left_out(EventGroup::kSyscalls)) arguments_.push_arguments(event);
  }
  void numbered_moment(const timeline::Event& event);
  void stacks(const timeline::Event& event) { stacks_.push(event); }
  NameId stack_of(const timeline::Event& event);
  void call_data(const timeline::Event& event) {
    if (!is_left_out(EventGroup::kSyscalls)) arguments_.push_data(event);
  }
  void expect_details(const timeline::Event& event, CallNumbers& numbers, bool at_end);
  void call(const timeline::Event& event);
  void system_call(const timeline::Event& event);
  void end_call(const timeline::Event& event);
  void start_program(Pid pid, Ns now);
  void fault(const timeline::Event& event);
  void end_fault(const timeline::Event& event);

  // Threads and CPUs.
  void context_switch(const timeline::Event& event);
  void unseen_switch(const timeline::Event& event);
  void found(const timeline::Event& event);
  void runnable(const timeline::Event& event);
  void ipi(const timeline::Event& event);
  void mwait(const timeline::Event& event);
  void leave_idle(const timeline::Event& event);
  void frequency(const timeline::Event& event);
  void frequency_notice(const timeline::Event& event);
  void sample(const timeline::Event& event);

  // What programs say.
  void text_mark(const timeline::Event& event);
  void number_mark(const timeline::Event& event);
  void lock(const timeline::Event& event);
  void queue(const timeline::Event& event);
  void rpc(const timeline::Event& event);
  void packet(const timeline::Event& event);
  void link_speed(const timeline::Event& event);
  Functions::Owner function_owner(CpuId cpu);
  void function_begins(const timeline::Event& event);
  void function_ends(const timeline::Event& event);
  void function(const timeline::Event& event);
  void functions_left_out(const timeline::Event& event) { functions_.left_out(event.entry.arg); }

  // Entries of variable length.
  void thread_name(const timeline::Event& event);
  void kernel_version(const timeline::Event& event);
  void cpu_model(const timeline::Event& event);
  void host_name(const timeline::Event& event);
  void meta(const timeline::Event& event) { meta_.push(event.entry); }
  void task(const timeline::Event& event);
  void loss(const timeline::Event& event) { lost_.declared(event); }
  void name(const timeline::Event& event);

  // A moment that is shown and means no more.
  void moment(const timeline::Event& event) { show(event, SpanKind::kPoint); }
  void show(const timeline::Event& event, SpanKind kind, NameId name = kNoName);
  Span point_span(const timeline::Event& event, SpanKind kind) const;
  Ipc ipc_of(const timeline::Event& event);
  void end_of_recording();
  void waits_at_end();

  const timeline::StreamFacts& facts_;
  NameTable& names_;
  SpanSink& sink_;
  TraceInfo info_;
  bool measured_;  // entries have a trailer
  GroupTimes groups_;
  std::size_t changes_applied_ = 0;  // of these
  Ns next_change_;
  CapturedPackets captured_;
  Ns next_due_;           // the earlier of the next change and the next captured packet
  EventGroups left_out_;  // as of the event that was pushed last
  NameBook book_;
  ThreadTable threads_;
  ProgramCounters program_counters_;
  ThreadIds ids_;
  Execution execution_;
  Wakeups wakeups_;
  Ipis ipis_;
  LostTime lost_;
  ThreadNews news_;
  Locks locks_;
  Functions functions_;
  Messages messages_;
  WideNumbers wide_numbers_;
  CallArguments arguments_;
  Descriptors descriptors_;
  IdleExit idle_exit_;
  Frequencies frequencies_;
  Samples samples_;
  Stacks stacks_;
  EventTally tally_;
  timeline::MetaText meta_;
  std::vector<IpcAverage> ipc_;  // by CPU number
  std::vector<bool> started_;    // by CPU number: it has a block
};

}  // namespace kutrace::spans
