// SPDX-License-Identifier: BSD-3-Clause
// Kinds by categories, and numbers of events by what they are called.
#include "read/chrome/own_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/most_cpus.h"
#include "base/number_text.h"
#include "format/chrome_rows.h"
#include "format/event_table.h"
#include "format/syscall_names.h"
#include "model/call_kind.h"

namespace kutrace::read {

namespace {

using EventsByName = std::map<std::string_view, EventNum, std::less<>>;

const EventsByName& calls_by_name() {
  static const EventsByName calls = [] {
    EventsByName found;
    for (const NumberedName& call : syscall_names("x86_64"))
      found.emplace(call.name, syscall_event(call.number));
    return found;
  }();
  return calls;
}

EventNum call_event(SpanKind kind, std::string_view name) {
  if (kind == SpanKind::kScheduler) return ev::kSCHEDULER;
  if (kind == SpanKind::kSoftirq) return ev::kBottomHalf;
  if (kind == SpanKind::kSyscall) {
    const auto found = calls_by_name().find(name);
    return found == calls_by_name().end() ? EventNum{KUTRACE_UNKNOWN_CALL} : found->second;
  }
  const bool is_trap = kind == SpanKind::kTrap;
  for (unsigned number = 0; number < 0x100; ++number)
    if (name == (is_trap ? trap_name(number) : irq_name(number)))
      return (is_trap ? EventNum{0x400} : EventNum{0x500}) + number;
  return is_trap ? ev::kPageFault : EventNum{0x500};
}

EventNum point_event(std::string_view name) {
  for (EventNum number = ev::kUSERPID; number <= ev::kPC_KERNEL; ++number)
    if (!name.empty() && name == point_name(number)) return number;
  return 0;
}

EventNum mark_event(std::string_view name) {
  for (EventNum number = ev::kMARK_A; number < ev::kMARK_D; ++number)
    if (name.starts_with(point_name(number))) return number;
  return ev::kMARK_D;
}

EventNum wait_event(std::string_view name) {
  for (char letter = 'a'; letter <= 'z'; ++letter)
    if (name == wait_name(letter)) return ev::kWAIT_FIRST + static_cast<EventNum>(letter - 'a');
  return ev::kWAIT_FIRST + 'z' - 'a';
}

EventNum event_of(SpanKind kind, std::string_view name) {
  if (is_call_kind(kind)) return call_event(kind, name);
  switch (kind) {
    case SpanKind::kCExit:
      return ev::kC_EXIT;
    case SpanKind::kHidden:
      return ev::kHIDDEN_SPAN;
    case SpanKind::kLoss:
      return ev::kLOSS_SPAN;
    case SpanKind::kWait:
      return wait_event(name);
    case SpanKind::kLockHeld:
      return ev::kLOCK_HELD;
    case SpanKind::kLockWanted:
      return ev::kLOCK_WANTED;
    case SpanKind::kQueued:
      return ev::kENQUEUE;
    case SpanKind::kMessage:
      return ev::kRX_MESSAGE;
    case SpanKind::kFunction:
      return ev::kFUNCTION_CALL;
    case SpanKind::kMark:
      return mark_event(name);
    case SpanKind::kPoint:
      return point_event(name);
    case SpanKind::kSample:
      return ev::kPC_USER;
    case SpanKind::kWakeupArc:
      return ev::kRUNNABLE;
    case SpanKind::kIpiArc:
      return ev::kSEND_IPI;
    default:
      return ev::kUSER;
  }
}

void take_argument(std::string_view key, std::string_view value, Span& span) {
  if (key == "thread") {
    span.pid = std::max(parse_number<Pid>(value).value_or(kNoPid), kNoPid);
  } else if (key == "arg") {
    span.arg = static_cast<std::uint64_t>(parse_number<std::int64_t>(value).value_or(0));
  } else if (key == "result") {
    const auto result = parse_number<std::int64_t>(value);
    span.has_result = result.has_value();
    span.result.value = result.value_or(0);
    span.result.whole = span.result.value != static_cast<std::int16_t>(span.result.value);
  }
}

}  // namespace

ChromeRow row_of(const ChromeEvent& event) {
  static const std::string cpus = fmt::format("{}", chrome::kCpus);
  static const std::string threads = fmt::format("{}", chrome::kThreads);
  if (event.process == cpus) return ChromeRow::kCpu;
  return event.process == threads ? ChromeRow::kThread : ChromeRow::kOther;
}

std::optional<CpuId> cpu_of_row(const ChromeEvent& event) {
  const auto row = parse_number<std::uint64_t>(event.thread);
  if (!row || *row < chrome::kFirstCpu || *row - chrome::kFirstCpu >= kMostCpus)
    return std::nullopt;
  return static_cast<CpuId>(*row - chrome::kFirstCpu);
}

std::optional<CpuId> cpu_of_frequency(const ChromeEvent& event) {
  if (!event.name.starts_with(chrome::kFrequencyOf)) return std::nullopt;
  const auto cpu = parse_number<std::uint64_t>(event.name.substr(chrome::kFrequencyOf.size()));
  if (!cpu || *cpu >= kMostCpus) return std::nullopt;
  return static_cast<CpuId>(*cpu);
}

std::optional<Pid> thread_of_row(const ChromeEvent& event) {
  const auto pid = parse_number<Pid>(event.thread);
  return pid && *pid >= 0 ? pid : std::nullopt;
}

std::optional<SpanKind> kind_of_category(std::string_view category) {
  static const std::map<std::string_view, SpanKind, std::less<>> kinds = [] {
    std::map<std::string_view, SpanKind, std::less<>> found;
    for (std::size_t i = 0; i < kSpanKinds; ++i) {
      const auto kind = static_cast<SpanKind>(i);
      found.emplace(span_kind_name(kind), kind);
    }
    return found;
  }();
  const auto found = kinds.find(category);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

bool is_moment(SpanKind kind) {
  return kind == SpanKind::kMark || kind == SpanKind::kPoint || kind == SpanKind::kSample;
}

bool is_interval(SpanKind kind) {
  switch (kind) {
    case SpanKind::kLockHeld:
    case SpanKind::kLockWanted:
    case SpanKind::kQueued:
    case SpanKind::kRpc:
    case SpanKind::kMessage:
    case SpanKind::kFunction:
      return true;
    default:
      return false;
  }
}

bool is_execution_row(const ChromeEvent& event) {
  if (event.phase != 'X' || !event.time || !event.duration || *event.duration < 0) return false;
  const auto kind = kind_of_category(event.category);
  return row_of(event) == ChromeRow::kCpu && kind && is_execution(*kind) && cpu_of_row(event);
}

Span ChromeRows::span_of(const ChromeEvent& event, SpanKind kind) {
  Span span;
  span.kind = kind;
  span.start = event.time.value_or(0);
  if (event.phase == 'X') span.duration = event.duration.value_or(0);
  span.name = names_.intern(event.name);
  const std::uint64_t which = std::uint64_t{span.name} << 8 | static_cast<std::uint64_t>(kind);
  const auto [known, is_new] = events_.try_emplace(which, 0);
  if (is_new) known->second = event_of(kind, event.name);
  span.event = known->second;
  if (row_of(event) == ChromeRow::kCpu) {
    span.cpu = cpu_of_row(event).value_or(kNoCpu);
  } else if (const auto pid = thread_of_row(event); pid && *pid > 0) {
    span.pid = *pid;
  }
  each_chrome_member(event.args, [&span](std::string_view key, std::string_view value) {
    take_argument(key, value, span);
  });
  if (kind == SpanKind::kLoss) span.arg = KUTRACE_LOSS_UNWRITTEN;
  return span;
}

}  // namespace kutrace::read
