// SPDX-License-Identifier: BSD-3-Clause
// Which span becomes which packet.
#include "emit/perfetto/perfetto.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/wall_clock.h"
#include "emit/perfetto/packet.h"
#include "emit/stream/start_of_export.h"
#include "format/event_table.h"
#include "format/perfetto_fields.h"
#include "model/rpc_names.h"

namespace kutrace::emit {

namespace {

namespace f = perfetto;
using Category = TrackEvents::Category;

// Perfetto names softirqs by a table of so many.
constexpr std::uint64_t kSoftirqs = 10;
constexpr unsigned kSyscallNumbers = 512;  // that it may have names for
constexpr std::uint64_t kRpcFlow = std::uint64_t{1} << 32;
constexpr std::uint64_t kIpiFlow = std::uint64_t{1} << 33;

// Execution kinds have the numbers of their categories.
Category category_of(SpanKind kind) { return static_cast<Category>(kind); }
static_assert(static_cast<std::size_t>(Category::kLoss) ==
              static_cast<std::size_t>(SpanKind::kLoss));

}  // namespace

PerfettoSink::PerfettoSink(const NameTable& names, TakeBytes take)
    : names_(names),
      take_(std::move(take)),
      bundles_(names, take_),
      events_(names, take_),
      switches_([this](const Switch& told) { bundles_.add(told); },
                [this](const Waking& waking) { bundles_.add(waking); }) {}

void PerfettoSink::begin(const TraceInfo& known) {
  base_ = start_of_export(known);
  bundles_.set_base(base_);
  events_.set_base(base_);
  clocks(known);
  host(known);
  events_.begin();
}

void PerfettoSink::clocks(const TraceInfo& known) {
  give_packet(take_, [&](Protobuf& packet) {
    const Protobuf::Message snapshot = packet.begin(f::trace_packet::kClockSnapshot);
    const auto clock = [&](std::uint64_t id, std::uint64_t time) {
      const Protobuf::Message one = packet.begin(f::clock_snapshot::kClocks);
      packet.number(f::clock_snapshot::kClockId, id);
      packet.number(f::clock_snapshot::kClockTimestamp, time);
      packet.end(one);
    };
    clock(f::clock_snapshot::kBoottime, static_cast<std::uint64_t>(base_));
    clock(f::clock_snapshot::kMonotonic, static_cast<std::uint64_t>(base_));
    if (const Ns wall = wall_ns(known.wall_usec); wall != 0)
      clock(f::clock_snapshot::kRealtime, static_cast<std::uint64_t>(wall));
    packet.end(snapshot);
  });
}

// The machine tells which names numbers of system calls have.
void PerfettoSink::host(const TraceInfo& known) {
  const std::string uname = known.facts.get(fact::kUname).value_or("");
  const SystemName name = system_name(uname);
  names_machine_ = !uname.empty();
  knows_syscalls_ = name.machine == "x86_64" || name.machine == "aarch64";
  if (names_machine_) tell_system(name);
}

void PerfettoSink::tell_system(const SystemName& name) {
  give_packet(take_, [&name](Protobuf& packet) {
    const Protobuf::Message info = packet.begin_long(f::trace_packet::kSystemInfo);
    const Protobuf::Message utsname = packet.begin_long(f::system_info::kUtsname);
    packet.text(f::system_info::kSysname, name.system);
    packet.text(f::system_info::kVersion, name.version);
    packet.text(f::system_info::kRelease, name.release);
    packet.text(f::system_info::kMachine, name.machine);
    packet.end(utsname);
    packet.end(info);
  });
}

void PerfettoSink::push(const Span& span) {
  switches_.push(span);
  if (is_execution(span.kind)) return execution(span);
  switch (span.kind) {
    case SpanKind::kWait: {
      const std::uint64_t track = tracks_.of(span.pid, Tracks::OfThread::kWaits);
      events_.slice_begin(track, span.start, Category::kWait, span.name);
      return events_.slice_end(track, span.start + span.duration);
    }
    case SpanKind::kFunction: {
      const std::uint64_t track = tracks_.of(std::max(span.pid, 0), Tracks::OfThread::kFunctions);
      events_.slice_begin(track, span.start, Category::kFunction, span.name);
      return events_.slice_end(track, span.start + span.duration);
    }
    case SpanKind::kLockHeld:
    case SpanKind::kLockWanted:
      return lone_slice(span, Category::kLock, span.pid, {"lock", span.low_arg()}, 0);
    case SpanKind::kQueued:
      return lone_slice(span, Category::kQueue, kNoPid, {"queue", span.low_arg()}, 0);
    case SpanKind::kRpc:
      return lone_slice(span, Category::kRpc, kNoPid, {"rpc", span.rpc}, 0);
    case SpanKind::kMessage:
      return lone_slice(span, Category::kMessage, kNoPid, {"rpc", span.rpc},
                        span.rpc != 0 ? kRpcFlow | span.rpc : 0);
    case SpanKind::kFrequency:
      return bundles_.add_frequency(span.cpu, span.start, span.low_arg());
    case SpanKind::kSample:
    case SpanKind::kMark:
    case SpanKind::kPoint:
      return moment(span);
    case SpanKind::kIpiArc:
      return arc(span);
    default:  // switches tell of wakeups and names
      return;
  }
}

// Whether Perfetto has its name by its number.
bool PerfettoSink::is_named(const Call& call) {
  const unsigned number = syscall_number(call.event);
  if (names_machine_) return knows_syscalls_ && number < kSyscallNumbers;
  const bool is_found = !call_numbers_.machine().empty();
  const bool has = call_numbers_.has(number, names_.text(call.name));
  if (has && !is_found)
    tell_system(
        {.system = "Linux", .release = "", .version = "", .machine = call_numbers_.machine()});
  return has;
}

CpuId PerfettoSink::begun_on(const Call& call) const {
  const bool seen = call.slot < begun_.size() && begun_[call.slot].call == call.id;
  return seen ? begun_[call.slot].cpu : call.cpu;
}

// Of events at one time, readers take those of one CPU in order, and those of two CPUs in any.
void PerfettoSink::goes_on(Pid pid, ThreadId thread, CpuId cpu, Ns time) {
  const auto found = unreturned_.find(pid);
  if (found == unreturned_.end() || time < found->second.told.time) return;
  // Another thread may have the number of one that ended in its call.
  found->second.told.cpu = cpu;
  if (found->second.thread == thread) bundles_.add_return(found->second.told);
  unreturned_.erase(found);
}

void PerfettoSink::syscall(const Call& call) {
  const unsigned number = syscall_number(call.event);
  const CpuId cpu = begun_on(call);
  goes_on(call.pid, call.thread, cpu, call.begin);
  bundles_.add_call(call, number, cpu);
  const SyscallReturn told{
      .pid = call.pid,
      .cpu = call.cpu,
      .time = call.end,
      .number = number,
      .result = call.has_result ? std::optional(call.result.value) : std::nullopt};
  if (call.end_inferred) {
    unreturned_[call.pid] = {call.thread, told};
  } else {
    bundles_.add_return(told);
  }
}

void PerfettoSink::execution(const Span& span) {
  if (span.pid > 0 && !unreturned_.empty()) goes_on(span.pid, span.thread, span.cpu, span.start);
  if (span.call != CallId::kNone) {
    if (span.call_slot >= begun_.size()) begun_.resize(span.call_slot + std::size_t{1});
    Begun& begun = begun_[span.call_slot];
    if (begun.call != span.call) begun = {span.call, span.cpu};
  }
  const std::uint64_t track = tracks_.of(span.cpu, Tracks::OfCpu::kExecution);
  events_.slice_begin(track, span.start, category_of(span.kind), span.name);
  events_.slice_end(track, span.start + span.duration);
  if (span.cpu >= low_power_.size()) low_power_.resize(span.cpu + std::size_t{1});
  const bool low = span.kind == SpanKind::kIdleLowPower;
  if (low == low_power_[span.cpu]) return;
  low_power_[span.cpu] = low;
  const auto state = static_cast<std::int32_t>(span.arg >> 16) - 1;
  bundles_.add_idle(span.cpu, span.start, low ? std::max(state, 0) : -1);
}

void PerfettoSink::lone_slice(const Span& span, Category category, Pid owner,
                              TrackArgument argument, std::uint64_t flow) {
  const std::uint64_t track = tracks_.lone();
  if (owner > 0) tracks_.of(owner, Tracks::OfThread::kMoments);
  Tracks::describe_lone(track, owner, span_kind_name(span.kind), take_);
  events_.slice_begin(track, span.start, category, span.name, argument, flow);
  events_.slice_end(track, span.start + span.duration);
}

void PerfettoSink::moment(const Span& span) {
  if (span.kind == SpanKind::kSample) {
    const std::uint64_t track = tracks_.of(std::max(span.pid, 0), Tracks::OfThread::kSamples);
    return events_.moment(track, span.start + span.duration, Category::kSample, span.name,
                          {"pc", static_cast<std::int64_t>(span.value)});
  }
  const bool rpc = span.kind == SpanKind::kPoint && names_rpc(span);
  const std::uint64_t track = tracks_.of(std::max(span.pid, 0), Tracks::OfThread::kMoments);
  events_.moment(track, span.start,
                 span.kind == SpanKind::kMark ? Category::kMark : Category::kPoint, span.name,
                 {"argument", static_cast<std::int64_t>(span.arg)},
                 rpc ? kRpcFlow | rpc_of_name(span) : 0);
}

void PerfettoSink::arc(const Span& span) {
  const std::uint64_t flow = kIpiFlow + ++flows_;
  events_.moment(tracks_.of(span.cpu, Tracks::OfCpu::kSignals), span.start, Category::kIpi,
                 span.name, {"to_cpu", span.low_arg()}, flow);
  events_.moment(tracks_.of(span.low_arg(), Tracks::OfCpu::kSignals), span.start + span.duration,
                 Category::kIpi, span.name, {"from_cpu", span.cpu}, flow);
}

void PerfettoSink::call(const Call& call) {
  if (call.kind == SpanKind::kIrq) return bundles_.add_irq(call);
  if (call.kind == SpanKind::kSoftirq && call.arg < kSoftirqs) return bundles_.add_softirq(call);
  const bool of_thread = call.pid > 0;
  if (call.kind == SpanKind::kSyscall && of_thread && is_named(call)) return syscall(call);
  Category category = category_of(call.kind);
  Tracks::OfThread which = Tracks::OfThread::kCalls;
  if (category == Category::kFault) which = Tracks::OfThread::kFaults;
  if (category == Category::kScheduler) which = Tracks::OfThread::kScheduler;
  const std::uint64_t track =
      of_thread ? tracks_.of(call.pid, which) : tracks_.of(call.cpu, Tracks::OfCpu::kCalls);
  events_.slice_begin(
      track, call.begin, category, call.name,
      call.has_result ? TrackArgument{"result", call.result.value} : TrackArgument{});
  events_.slice_end(track, call.end);
}

void PerfettoSink::processes(const TraceInfo& info) {
  for (const auto& [pid, thread] : info.threads) {
    if (pid > 0) process_tree(info, pid, thread);
  }
}

// The thread, and its process where it is the first of it.
void PerfettoSink::process_tree(const TraceInfo& info, Pid pid, const ThreadInfo& thread) {
  const Pid process = thread.process == kNoPid ? pid : thread.process;
  give_packet(take_, [&](Protobuf& packet) {
    packet.signed_number(f::trace_packet::kTimestamp, base_ + info.begin);
    const Protobuf::Message tree = packet.begin_long(f::trace_packet::kProcessTree);
    if (process == pid) {
      const Protobuf::Message one = packet.begin_long(f::process_tree::kProcesses);
      packet.number(f::process_tree::kProcessPid, static_cast<std::uint32_t>(pid));
      if (thread.parent >= 0)
        packet.number(f::process_tree::kProcessPpid, static_cast<std::uint32_t>(thread.parent));
      packet.text(f::process_tree::kProcessCmdline, names_.text(thread.name));
      packet.end(one);
    }
    const Protobuf::Message one = packet.begin_long(f::process_tree::kThreads);
    packet.number(f::process_tree::kThreadTid, static_cast<std::uint32_t>(pid));
    packet.text(f::process_tree::kThreadName, names_.text(thread.name));
    packet.number(f::process_tree::kThreadTgid, static_cast<std::uint32_t>(process));
    packet.end(one);
    packet.end(tree);
  });
}

Status PerfettoSink::finish(const TraceInfo& info) {
  switches_.finish(info.end);
  bundles_.finish();
  processes(info);
  tracks_.describe(info, take_);
  return {};
}

}  // namespace kutrace::emit
