// SPDX-License-Identifier: BSD-3-Clause
// Names of kinds, and spans of time that is not told.
#include "model/span.h"

#include "format/event_table.h"

namespace kutrace {

namespace {

Span not_told(CpuId cpu, Ns start, Ns end, NameId name, SpanKind kind, EventNum event) {
  Span span;
  span.start = start;
  span.duration = end - start;
  span.cpu = cpu;
  span.event = event;
  span.name = name;
  span.kind = kind;
  return span;
}

}  // namespace

const char* span_kind_name(SpanKind kind) {
  switch (kind) {
    case SpanKind::kUser:
      return "user";
    case SpanKind::kKernelThread:
      return "kthread";
    case SpanKind::kSyscall:
      return "syscall";
    case SpanKind::kTrap:
      return "fault";
    case SpanKind::kIrq:
      return "irq";
    case SpanKind::kSoftirq:
      return "softirq";
    case SpanKind::kScheduler:
      return "sched";
    case SpanKind::kIdle:
      return "idle";
    case SpanKind::kIdleLowPower:
      return "idle_low";
    case SpanKind::kCExit:
      return "c_exit";
    case SpanKind::kHidden:
      return "hidden";
    case SpanKind::kLoss:
      return "loss";
    case SpanKind::kWait:
      return "wait";
    case SpanKind::kLockHeld:
      return "lock_held";
    case SpanKind::kLockWanted:
      return "lock_wanted";
    case SpanKind::kQueued:
      return "queued";
    case SpanKind::kRpc:
      return "rpc";
    case SpanKind::kMessage:
      return "message";
    case SpanKind::kFrequency:
      return "frequency";
    case SpanKind::kSample:
      return "sample";
    case SpanKind::kMark:
      return "mark";
    case SpanKind::kPoint:
      return "point";
    case SpanKind::kRename:
      return "rename";
    case SpanKind::kWakeupArc:
      return "wakeup";
    case SpanKind::kIpiArc:
      return "ipi";
    case SpanKind::kFunction:
      return "function";
  }
  return "unknown";
}

Span hidden_span(CpuId cpu, Ns start, Ns end, NameId name) {
  return not_told(cpu, start, end, name, SpanKind::kHidden, ev::kHIDDEN_SPAN);
}

Span loss_span(CpuId cpu, Ns start, Ns end, unsigned reason, NameId name) {
  Span span = not_told(cpu, start, end, name, SpanKind::kLoss, ev::kLOSS_SPAN);
  span.arg = reason;
  return span;
}

}  // namespace kutrace
