// SPDX-License-Identifier: BSD-3-Clause
// A trace for Perfetto: the protocol buffers that its page and trace_processor read. In: spans and
// calls; out: packets. doc/exports.md says what becomes what.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "emit/perfetto/call_numbers.h"
#include "emit/perfetto/ftrace_bundles.h"
#include "emit/perfetto/track_events.h"
#include "emit/stream/export_sink.h"
#include "emit/stream/switches.h"
#include "emit/stream/system_name.h"
#include "model/names.h"

namespace kutrace::emit {

class PerfettoSink : public ExportSink {
 public:
  PerfettoSink(const NameTable& names, TakeBytes take);

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  void call(const Call& call) override;
  Status finish(const TraceInfo& info) override;

 private:
  void execution(const Span& span);
  void lone_slice(const Span& span, TrackEvents::Category category, Pid owner,
                  TrackArgument argument, std::uint64_t flow);
  void moment(const Span& span);
  void arc(const Span& span);
  void clocks(const TraceInfo& known);
  void host(const TraceInfo& known);
  void tell_system(const SystemName& name);
  bool is_named(const Call& call);
  void processes(const TraceInfo& info);
  void process_tree(const TraceInfo& info, Pid pid, const ThreadInfo& thread);

  const NameTable& names_;
  TakeBytes take_;
  Ns base_ = 0;  // CLOCK_MONOTONIC at the trace's time 0, or what stands for it
  FtraceBundles bundles_;
  TrackEvents events_;
  Tracks tracks_;
  Switches switches_;
  // Of each slot of open calls: which one is in it, and where it began.
  struct Begun {
    CallId call = CallId::kNone;
    CpuId cpu = 0;
  };
  // A call whose return was not seen. It is told if its thread goes on: else readers would take
  // what follows to be within the call.
  struct Unreturned {
    ThreadId thread = ThreadId::kNone;
    SyscallReturn told;
  };
  CpuId begun_on(const Call& call) const;
  void syscall(const Call& call);
  // The thread runs on the CPU from that time on.
  void goes_on(Pid pid, ThreadId thread, CpuId cpu, Ns time);

  std::vector<Begun> begun_;
  std::unordered_map<Pid, Unreturned> unreturned_;
  std::vector<bool> low_power_;  // of each CPU, at the end of its last span
  bool names_machine_ = false;
  bool knows_syscalls_ = false;  // of that machine
  CallNumbers call_numbers_;     // where none is named
  std::uint64_t flows_ = 0;
};

}  // namespace kutrace::emit
