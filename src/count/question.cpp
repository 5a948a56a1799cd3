// SPDX-License-Identifier: BSD-3-Clause
// The tables of words.
#include "count/question.h"

#include <algorithm>
#include <array>

namespace kutrace::count {

namespace {

// In the order of Field.
constexpr std::array<FieldInfo, kFields> kFieldInfo = {{
    {"name", "what the event is called", Unit::kNone, true, true, false, false},
    {"comm", "name of the thread", Unit::kNone, true, true, false, false},
    {"pid", "number of the process", Unit::kNone, false, true, false, false},
    {"process", "name and number of the process", Unit::kNone, true, true, false, false},
    {"tid", "number of the thread", Unit::kNone, false, true, false, false},
    {"thread", "name and number of the thread", Unit::kNone, true, true, false, false},
    {"cpu", "number of the CPU", Unit::kNone, false, true, false, false},
    {"error", "the error that a call returned, 0 if none", Unit::kNone, false, true, false, false},
    {"result", "what a call returned", Unit::kNone, false, true, true, true},
    {"bytes", "the result of calls that did not fail", Unit::kBytes, false, false, true, false},
    {"duration", "from begin to end", Unit::kNanoseconds, false, false, true, false},
    {"arg0", "first argument of a call", Unit::kNone, false, true, true, true},
    {"arg1", "second", Unit::kNone, false, true, true, true},
    {"arg2", "third", Unit::kNone, false, true, true, true},
    {"arg3", "fourth", Unit::kNone, false, true, true, true},
    {"arg4", "fifth", Unit::kNone, false, true, true, true},
    {"arg5", "sixth", Unit::kNone, false, true, true, true},
    {"kstack", "functions of the kernel on the stack", Unit::kNone, true, true, false, false},
    {"ustack", "functions of the program on the stack", Unit::kNone, true, true, false, false},
}};

// In the order of Field.
constexpr std::array<Field, kFields> kAllFields = {
    Field::kName,     Field::kComm, Field::kPid,         Field::kProcess,  Field::kTid,
    Field::kThread,   Field::kCpu,  Field::kError,       Field::kResult,   Field::kBytes,
    Field::kDuration, Field::kArg0, Field::kArg1,        Field::kArg2,     Field::kArg3,
    Field::kArg4,     Field::kArg5, Field::kKernelStack, Field::kUserStack};

// In the order of Probe.
constexpr std::array<ProbeInfo, 9> kProbeInfo = {{
    {"syscall", "", "system calls, when they return", "call", "calls"},
    {"sched", "switch", "a CPU switches from a thread to another", "switch", "switches"},
    {"sched", "wakeup", "a thread is made ready", "wakeup", "wakeups"},
    {"sched", "off-cpu", "a thread runs again after it did not", "wait", "waits"},
    {"sched", "run-queue", "a thread runs after it was ready", "wait", "waits"},
    {"irq", "", "handlers of devices' interrupts", "interrupt", "interrupts"},
    {"softirq", "", "softirqs", "interrupt", "interrupts"},
    {"fault", "", "page faults: user, kernel", "fault", "faults"},
    {"tracepoint", "", "any tracepoint: group:name", "event", "events"},
}};

constexpr std::array<std::string_view, 8> kAggregateWords = {
    "count", "sum", "min", "max", "avg", "stddev", "quantize", "lquantize"};

template <typename Enum>
constexpr std::size_t at(Enum value) {
  return static_cast<std::size_t>(value);
}

bool lasts(Probe probe) {
  return probe == Probe::kSyscall || probe == Probe::kOffCpu || probe == Probe::kRunQueue ||
         probe == Probe::kIrq || probe == Probe::kSoftirq;
}

}  // namespace

const FieldInfo& info(Field field) { return kFieldInfo.at(at(field)); }

const Field* find_field(std::string_view word) {
  const auto* const found =
      std::ranges::find(kAllFields, word, [](Field field) { return info(field).word; });
  return found == kAllFields.end() ? nullptr : found;
}

const ProbeInfo& info(Probe probe) { return kProbeInfo.at(at(probe)); }

bool has_field(Probe probe, Field field) {
  switch (field) {
    case Field::kDuration:
      return lasts(probe);
    case Field::kError:
    case Field::kResult:
    case Field::kBytes:
    case Field::kArg0:
    case Field::kArg1:
    case Field::kArg2:
    case Field::kArg3:
    case Field::kArg4:
    case Field::kArg5:
      return probe == Probe::kSyscall;
    case Field::kName:
      return probe != Probe::kWakeup && probe != Probe::kTracepoint;
    case Field::kKernelStack:
    case Field::kUserStack:
      return probe != Probe::kWakeup && probe != Probe::kRunQueue && probe != Probe::kIrq &&
             probe != Probe::kSoftirq;
    default:
      return true;
  }
}

std::string_view word_of(AggregateKind kind) { return kAggregateWords.at(at(kind)); }

}  // namespace kutrace::count
