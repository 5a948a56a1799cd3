// SPDX-License-Identifier: BSD-3-Clause
// A span: an interval of one CPU's or one thread's time with one cause. The unit of all output.
//
// Spans whose kind is an execution kind tile each CPU's time: each starts where the one before it
// on that CPU ended, the first at TraceInfo::begin, the last ends at TraceInfo::end. They reach a
// sink in time order per CPU. All other spans lie over that timeline, in no promised order.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "base/units.h"
#include "model/names.h"

namespace kutrace {

enum class SpanKind : std::uint8_t {
  // Execution: what a CPU did. Exactly one at any time.
  kUser,          // a thread in user mode
  kKernelThread,  // a thread that has no user mode, in no call
  kSyscall,
  kTrap,     // page faults and other exceptions
  kIrq,      // hard interrupts
  kSoftirq,  // arg: which one
  kScheduler,
  kIdle,
  kIdleLowPower,  // arg: mwait hint in the low 16 bits, C-state index + 1 above
  kCExit,         // leaving a C-state
  kHidden,        // what a filter left out, or nobody's where switches were not recorded; no pid
  kLoss,          // arg: enum kutrace_loss_reason; what happened is not known

  // Intervals of a thread or object, on no CPU (cpu is kNoCpu unless said).
  kWait,        // event 0x300 + letter - 'a'; pid waited
  kLockHeld,    // arg: lock
  kLockWanted,  // arg: lock
  kQueued,      // arg: queue
  kRpc,         // reserved for RPC rows
  kMessage,     // a packet or message on the link, cpu 0
  kFrequency,   // arg: MHz; cpu set
  kSample,      // value: program counter; other: its process; cpu set

  // Moments; duration 0, cpu and pid set, except of captured packets.
  kMark,    // event 0x20a..0x20d; arg: label or number
  kPoint,   // any other point event
  kRename,  // from here on the thread pid has this name

  // From one place to another: cpu/pid at start, arg (CPU) and other (pid) at the end.
  kWakeupArc,
  kIpiArc,

  // An interval of a thread, as those above. It stands here as pages hold these numbers.
  kFunction,  // of the program; arg: how many are around it; value: time in itself; cpu is kNoCpu
};

constexpr std::size_t kSpanKinds = static_cast<std::size_t>(SpanKind::kFunction) + 1;
constexpr std::size_t kExecutionKinds = static_cast<std::size_t>(SpanKind::kLoss) + 1;

constexpr bool is_execution(SpanKind kind) { return kind <= SpanKind::kLoss; }
constexpr bool is_arc(SpanKind kind) {
  return kind == SpanKind::kWakeupArc || kind == SpanKind::kIpiArc;
}
// Whether it is a thread's own code, outside of any call.
constexpr bool is_user(SpanKind kind) {
  return kind == SpanKind::kUser || kind == SpanKind::kKernelThread;
}

constexpr bool is_idle(SpanKind kind) {
  return kind == SpanKind::kIdle || kind == SpanKind::kIdleLowPower;
}

// Whether it is a piece of a call (model/call.h).
constexpr bool is_call_kind(SpanKind kind) {
  return kind >= SpanKind::kSyscall && kind <= SpanKind::kScheduler;
}

// Whether it is a piece of an interrupt or softirq, which belong to the CPU, whoever runs.
constexpr bool is_interrupt(SpanKind kind) {
  return kind == SpanKind::kIrq || kind == SpanKind::kSoftirq;
}

// Whether it is a thread's own execution, or idle: the kind then implies whose.
constexpr bool kind_names_thread(SpanKind kind) { return is_user(kind) || is_idle(kind); }

// Whether every span of the kind has a number in its argument column.
constexpr bool kind_has_argument(SpanKind kind) {
  return kind != SpanKind::kUser && kind != SpanKind::kKernelThread && kind != SpanKind::kIdle;
}

// The name of a kind in text forms and in pages. It never changes.
const char* span_kind_name(SpanKind kind);

// Calls in the order in which they began, threads in that of their appearance (model/call.h): of
// two threads that have one number in turn, each has its own.
enum class CallId : std::uint32_t { kNone };
enum class ThreadId : std::uint32_t { kNone };

// What a call returned. Most sources record the low 16 bits, which are then extended by their sign.
struct CallResult {
  std::int64_t value = 0;
  bool whole = false;  // all 64 bits were recorded
  auto operator<=>(const CallResult&) const = default;
};

constexpr CallResult low_result(std::uint32_t recorded) {
  return {static_cast<std::int16_t>(static_cast<std::uint16_t>(recorded)), false};
}

// The part of a result for which KUtrace's own forms of traces have room.
constexpr std::uint16_t low_bits(CallResult result) {
  return static_cast<std::uint16_t>(result.value);
}

struct Span {
  Ns start = 0;
  Ns duration = 0;          // >= 0
  std::uint64_t value = 0;  // program counter of a sample; second number of a moment; see kFunction
  std::uint64_t arg = 0;
  CallResult result;  // where `has_result`; third number of a moment
  CpuId cpu = kNoCpu;
  Pid pid = kNoPid;                   // the thread; 0 while idle
  ThreadId thread = ThreadId::kNone;  // execution, waits: that thread; kNone in idle
  Pid other = kNoPid;                 // arcs: the thread that was woken; samples: the process
  EventNum event = 0;  // 12-bit number, or one of the KUTRACE_PSEUDO numbers (user = USER)
  std::uint32_t rpc = 0;
  NameId name = kNoName;        // of the routine, thread, mark, ...; without ".pid"
  CallId call = CallId::kNone;  // execution: the call it is a piece of; waits: the one it blocks
  std::uint32_t call_slot = 0;  // of that call (model/call.h)
  NameId stack = kNoName;       // samples, waits: where recorded (model/stack.h)
  SpanKind kind = SpanKind::kUser;
  std::uint8_t ipc = 0;  // nibble of the trailer, see doc/trace-format.md
  bool has_result = false;

  // The low 32 bits: all of it, except in calls.
  std::uint32_t low_arg() const { return static_cast<std::uint32_t>(arg); }
};

// A span that says that something was left out by a filter, or that switches were not recorded.
Span hidden_span(CpuId cpu, Ns start, Ns end, NameId name);
// A span that says that nobody knows what the CPU did. `reason`: enum kutrace_loss_reason.
Span loss_span(CpuId cpu, Ns start, Ns end, unsigned reason, NameId name);
constexpr const char* kHiddenName = "-hidden-";

}  // namespace kutrace
