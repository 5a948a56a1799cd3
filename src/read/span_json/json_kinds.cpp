// SPDX-License-Identifier: BSD-3-Clause
// Event numbers of the span JSON to kinds of spans; names without what upstream adds to them.
#include "read/span_json/json_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "model/call_kind.h"

namespace kutrace::read {

namespace {

constexpr std::int64_t kWakeup = -3;
constexpr std::int64_t kCallout = -4;
constexpr std::int64_t kIpi = -7;
constexpr std::int64_t kFirstOverlay = -7;
constexpr std::int64_t kPidMask = 0xffff;

// "name.123" without ".123" if that is the number.
std::string_view without_number(std::string_view name, std::int64_t number) {
  const fmt::format_int digits(number);
  const std::string_view suffix(digits.data(), digits.size());
  if (!name.ends_with(suffix)) return name;
  name.remove_suffix(suffix.size());
  if (!name.ends_with('.')) return {name.data(), name.size() + suffix.size()};
  name.remove_suffix(1);
  return name;
}

std::string_view without_prefix(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// A row's name lists all names its thread had, as "a+b+c.123": the last of them.
std::string_view last_of_row_name(std::string_view name, std::int64_t pid) {
  name = without_number(name, pid);
  return name.substr(name.rfind('+') == std::string_view::npos ? 0 : name.rfind('+') + 1);
}

bool is_mark(EventNum event) { return event >= ev::kMARK_A && event <= ev::kMARK_D; }

}  // namespace

JsonKinds::JsonKinds(NameTable& names) : names_(names), idle_(names.intern("-idle-")) {}

void JsonKinds::fill(const JsonRecord& record, Span& span) const {
  span = Span{};
  span.start = record.start;
  span.duration = record.duration;
  if (record.cpu >= 0) span.cpu = static_cast<CpuId>(record.cpu);
  if (record.pid >= 0) span.pid = static_cast<Pid>(record.pid);
  if (record.rpc > 0) span.rpc = static_cast<std::uint32_t>(record.rpc & 0xffff);
  span.event = static_cast<EventNum>(record.event);
  span.arg = static_cast<std::uint32_t>(record.arg);
  span.result = low_result(static_cast<std::uint32_t>(record.result));
  span.ipc = static_cast<std::uint8_t>(record.ipc & 15);
}

void JsonKinds::user_or_idle(const JsonRecord& record, Span& span) {
  const auto low_pid = static_cast<Pid>(record.event & kPidMask);
  if (record.pid < 0) span.pid = low_pid;
  span.result = {};
  span.event = ev::kUSER;
  if (span.pid != 0) {
    span.kind = SpanKind::kUser;
    span.arg = 0;
    span.name = names_.intern(without_number(record.name, span.pid));
    return;
  }
  const bool low_power = (record.arg & 1) != 0;
  span.kind = low_power ? SpanKind::kIdleLowPower : SpanKind::kIdle;
  span.name = idle_;
  const auto hint = mwait_hint_.find(span.cpu);
  span.arg = low_power && hint != mwait_hint_.end() ? hint->second : 0;
}

JsonKinds::Meaning JsonKinds::call(const JsonRecord& record, Span& span) {
  span.event &= ~ev::kReturnBit;
  span.kind = kind_of(span.event);
  span.name = names_.intern(record.name);
  return Meaning::kSpan;
}

JsonKinds::Meaning JsonKinds::arc(const JsonRecord& record, Span& span) {
  const bool wakeup = record.event == kWakeup;
  if (record.cpu < 0 || record.arg < 0 || !is_cpu_or_none(record.arg)) return Meaning::kUnusable;
  span.kind = wakeup ? SpanKind::kWakeupArc : SpanKind::kIpiArc;
  span.event = wakeup ? ev::kRUNNABLE : ev::kSEND_IPI;
  span.other = wakeup ? static_cast<Pid>(record.result) : kNoPid;
  span.result = {};
  span.name = names_.intern(record.name);
  return Meaning::kSpan;
}

void JsonKinds::sample(const JsonRecord& record, Span& span) {
  constexpr std::size_t kAddressDigits = 12;  // at least; a shorter text is a name, such as "add"
  const std::string_view where = without_prefix(record.name, "PC=");
  const char* begin = where.data();
  const char* end = begin + where.size();
  const auto parsed = std::from_chars(begin, end, span.value, 16);
  const bool address =
      parsed.ec == std::errc() && parsed.ptr == end && where.size() >= kAddressDigits;
  if (!address) span.value = 0;
  span.kind = SpanKind::kSample;
  span.name = address ? kNoName : names_.intern(where);
  span.arg = 0;
  span.other = span.pid;
}

JsonKinds::Meaning JsonKinds::off_cpu(const JsonRecord& record, SpanKind kind,
                                      std::string_view name, Span& span) {
  span.kind = kind;
  span.cpu = kNoCpu;
  span.duration = record.duration;
  span.result = {};
  span.name = names_.intern(name);
  return record.duration > 0 ? Meaning::kSpan : Meaning::kUnusable;
}

JsonKinds::Meaning JsonKinds::point(const JsonRecord& record, Span& span) {
  const std::string_view name = record.name;
  span.kind = is_mark(span.event) ? SpanKind::kMark : SpanKind::kPoint;
  span.duration = 0;
  span.result = {};
  switch (span.event) {
    case ev::kRUNNABLE:
      span.name = names_.intern(without_number(name, record.arg));
      return Meaning::kSpan;
    case ev::kMWAIT:
      mwait_hint_[span.cpu] = span.low_arg();
      break;
    case ev::kFREQUENCY:
    case ev::kFREQUENCY_NOTICE:
      if (record.cpu < 0) return Meaning::kUnusable;
      span.kind = SpanKind::kFrequency;
      span.event = ev::kFREQUENCY;
      span.duration = record.duration;
      span.pid = kNoPid;
      break;
    case ev::kRX_MESSAGE:
    case ev::kTX_MESSAGE:
      span.kind = SpanKind::kMessage;
      span.duration = record.duration;
      break;
    case ev::kENQUEUE:
      if (record.cpu < 0) return off_cpu(record, SpanKind::kQueued, name, span);
      break;
    case ev::kLOCK_TRY:
    case ev::kLOCK_ACQUIRE:
    case ev::kLOCK_RELEASE:
      span.name = names_.intern(without_prefix(name, point_name(span.event)));
      return Meaning::kSpan;
    case ev::kLEFT_MARK:
      span.name = names_.intern(last_of_row_name(name, record.pid));
      return Meaning::kRowName;
    case ev::kPC_USER:
    case ev::kPC_KERNEL:
      span.duration = record.duration;
      sample(record, span);
      return Meaning::kSpan;
    default:
      break;
  }
  span.name = names_.intern(name);
  return Meaning::kSpan;
}

JsonKinds::Meaning JsonKinds::convert(const JsonRecord& record, Span& span) {
  if (!in_range(record)) return Meaning::kUnusable;
  fill(record, span);
  if (is_cpu_record(record)) {
    if (span.event < 0x1000) return call(record, span);
    if (span.event <= ev::kUSER + kPidMask) {
      user_or_idle(record, span);
      return Meaning::kSpan;
    }
    if (span.event == ev::kC_EXIT) span.kind = SpanKind::kCExit;
    if (span.event == ev::kLOSS_SPAN) span.kind = SpanKind::kLoss;
    if (span.event == ev::kHIDDEN_SPAN) span.kind = SpanKind::kHidden;
    span.name = names_.intern(record.name);
    return Meaning::kSpan;
  }
  if (record.event == kCallout) return Meaning::kCallout;
  if (record.event == kWakeup || record.event == kIpi) return arc(record, span);
  if (record.event < 0 && record.event > kFirstOverlay) return Meaning::kOverlay;
  if (record.duration < 0) return Meaning::kUnusable;
  if (record.event == ev::kLOCK_HELD) {
    return off_cpu(record, SpanKind::kLockHeld, without_prefix(record.name, "="), span);
  }
  if (record.event == ev::kLOCK_WANTED) {
    return off_cpu(record, SpanKind::kLockWanted, without_prefix(record.name, "~"), span);
  }
  if (record.event == ev::kFUNCTION_CALL) {
    return off_cpu(record, SpanKind::kFunction, record.name, span);
  }
  if (is_wait_record(record)) {
    return off_cpu(record, SpanKind::kWait, record.name, span);
  }
  if (record.event >= ev::kUSERPID && record.event <= ev::kPC_KERNEL) return point(record, span);
  return Meaning::kUnusable;
}

}  // namespace kutrace::read
