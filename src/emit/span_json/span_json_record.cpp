// SPDX-License-Identifier: BSD-3-Clause
// Fields and names of upstream's records.
#include "emit/span_json/span_json_record.h"

#include <fmt/format.h>

#include "base/append_format.h"
#include "base/utf8.h"
#include "format/event_table.h"

namespace kutrace::emit {

namespace {

constexpr std::int64_t kStepsPerSecond = 100'000'000;
constexpr EventNum kPidMask = 0xffff;
constexpr std::uint32_t kArgMask = 0xffff;
constexpr int kWakeup = -3;
constexpr int kIpi = -7;
constexpr unsigned kPcShift = 6;
constexpr std::size_t kLongestName = 56;  // upstream's tools keep names in 64 bytes

struct Fields {
  std::int64_t start = 0;  // in steps of 10 ns
  std::int64_t duration = 0;
  std::int64_t cpu = -1;
  std::int64_t pid = 0;
  std::int64_t rpc = 0;
  std::int64_t event = 0;
  std::int64_t arg = 0;
  std::uint32_t result = 0;
};

std::string_view shortened(std::string_view name) {
  if (name.size() <= kLongestName) return name;
  std::size_t end = kLongestName;
  while (end > 0 && continues_character(name[end])) --end;
  return name.substr(0, end);
}

// As page_safe; blanks become '_' too, for upstream's tools split at them.
void append_name(std::string_view name, std::string& out) {
  for (const char c : page_safe(shortened(name))) out += c == ' ' ? '_' : c;
}

void append_user_name(std::string_view name, Pid pid, std::string& out) {
  append_name(name, out);
  append_format(out, ".{}", pid);
}

std::uint32_t folded_hash(std::uint32_t hash) { return (hash >> 16 ^ hash) & 0xffff; }

void append_point_name(const Span& span, std::string_view name, std::string& out) {
  switch (span.event) {
    case ev::kRUNNABLE:
      append_format(out, "{}.{}", point_name(span.event), span.low_arg());
      return;
    case ev::kLOCK_TRY:
    case ev::kLOCK_ACQUIRE:
    case ev::kLOCK_RELEASE:
      out += point_name(span.event);
      append_name(name, out);
      return;
    case ev::kENQUEUE:
    case ev::kDEQUEUE:
      append_format(out, "{}({})", point_name(span.event), span.low_arg());
      return;
    case ev::kRX_PACKET:
    case ev::kTX_PACKET:
    case ev::kRX_USER:
    case ev::kTX_USER:
      append_format(out, "{}.{:04X}", point_name(span.event), folded_hash(span.low_arg()));
      return;
    default:
      append_name(name, out);
  }
}

void append_sample_name(const Span& span, std::string_view name, std::string& out) {
  out += "PC=";
  // "[libc.so.6]" says less than the address, of which symbols can still be found.
  if (name.empty() || (name.front() == '[' && span.value != 0)) {
    append_format(out, "{:012x}", span.value);
  } else {
    append_name(name, out);
  }
}

void append_span_name(const Span& span, std::string_view name, std::string& out) {
  switch (span.kind) {
    case SpanKind::kUser:
    case SpanKind::kKernelThread:
      return append_user_name(name, span.pid, out);
    case SpanKind::kIdleLowPower:
      out += "-idlelp-";
      return;
    case SpanKind::kLockHeld:
      out += '=';
      return append_name(name, out);
    case SpanKind::kLockWanted:
      out += '~';
      return append_name(name, out);
    case SpanKind::kSample:
      return append_sample_name(span, name, out);
    case SpanKind::kPoint:
      return append_point_name(span, name, out);
    default:
      append_name(name, out);
  }
}

// Number of a thread's user mode. 0x10000 alone is idle, so a thread whose low 16 bits are zero
// gets the last number.
EventNum user_event(Pid pid) {
  const EventNum low = static_cast<EventNum>(pid) & kPidMask;
  return ev::kUSER + (low == 0 ? kPidMask : low);
}

std::int64_t point_arg(const Span& span) {
  const bool wide = has_wide_argument(span.event) && span.event != ev::kMWAIT;
  return wide ? std::int64_t{static_cast<std::int32_t>(span.low_arg())} : span.low_arg() & kArgMask;
}

void fill_by_kind(const Span& span, Fields& fields) {
  switch (span.kind) {
    case SpanKind::kUser:
    case SpanKind::kKernelThread:
      fields.event = user_event(span.pid);
      fields.arg = 0;
      return;
    case SpanKind::kIdle:
    case SpanKind::kIdleLowPower:
      fields.event = ev::kIDLE;
      fields.arg = span.kind == SpanKind::kIdleLowPower ? 1 : 0;
      return;
    case SpanKind::kCExit:
      fields.arg = 0;
      return;
    case SpanKind::kLockHeld:
    case SpanKind::kLockWanted:
    case SpanKind::kFunction:
      fields.rpc = -1;
      return;
    case SpanKind::kQueued:
      fields.event = ev::kENQUEUE;
      fields.pid = -1;
      return;
    case SpanKind::kFrequency:
      fields.pid = 0;
      return;
    case SpanKind::kSample:
      fields.arg = static_cast<std::int64_t>(span.value >> kPcShift & kArgMask);
      return;
    case SpanKind::kMessage:
      fields.arg = span.low_arg();
      return;
    case SpanKind::kMark:
    case SpanKind::kPoint:
      fields.arg = point_arg(span);
      return;
    case SpanKind::kWakeupArc:
      fields.event = kWakeup;
      fields.result = static_cast<std::uint32_t>(span.other);
      return;
    case SpanKind::kIpiArc:
      fields.event = kIpi;
      fields.pid = -1;
      fields.rpc = -1;
      return;
    default:
      return;
  }
}

Fields fields_of(const Span& span, Ns offset) {
  Fields fields;
  fields.start = json_steps(span.start + offset);
  fields.duration = json_steps(span.start + span.duration + offset) - fields.start;
  // What lies over the timeline must be seen: moments are one step long.
  if (!is_execution(span.kind) && fields.duration == 0) fields.duration = 1;
  if (span.cpu != kNoCpu) fields.cpu = span.cpu;
  fields.pid = span.pid;
  fields.rpc = span.rpc;
  fields.event = narrow_event(span.event);
  fields.arg = span.low_arg() & kArgMask;
  fields.result = span.has_result ? low_bits(span.result) : 0u;
  fill_by_kind(span, fields);
  return fields;
}

// Seconds with 8 decimals, right-aligned in `width`.
void append_seconds(std::int64_t steps, int width, std::string& out) {
  const bool negative = steps < 0;
  if (negative) steps = -steps;
  const fmt::format_int whole(steps / kStepsPerSecond);
  const int used = static_cast<int>(whole.size()) + (negative ? 1 : 0) + 9;
  for (int i = used; i < width; ++i) out += ' ';
  if (negative) out += '-';
  out.append(whole.data(), whole.size());
  out += '.';
  const fmt::format_int fraction(kStepsPerSecond + steps % kStepsPerSecond);
  out.append(fraction.data() + 1, fraction.size() - 1);
}

void append_number(std::int64_t number, std::string& out) {
  const fmt::format_int digits(number);
  out += ", ";
  out.append(digits.data(), digits.size());
}

void append_fields(const Fields& fields, unsigned ipc, std::string& out) {
  out += '[';
  append_seconds(fields.start, 12, out);
  out += ", ";
  append_seconds(fields.duration, 10, out);
  append_number(fields.cpu, out);
  append_number(fields.pid, out);
  append_number(fields.rpc, out);
  append_number(fields.event, out);
  append_number(fields.arg, out);
  append_number(fields.result, out);
  append_number(ipc, out);
  out += ", \"";
}

}  // namespace

std::string page_safe(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) {
      out += '_';
    } else if (c == '\'') {
      out += "\\u0027";
    } else if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

void append_span_record(const Span& span, Ns offset, const NameTable& names, std::string& out) {
  append_fields(fields_of(span, offset), span.ipc, out);
  append_span_name(span, names.text(span.name), out);
  out += "\"],";
}

void append_row_name_record(Ns time, Pid pid, std::string_view row_names, std::string& out) {
  Fields fields;
  fields.start = json_steps(time);
  fields.duration = 1;
  fields.cpu = 0;
  fields.pid = pid;
  fields.event = ev::kLEFT_MARK;
  append_fields(fields, 0, out);
  append_user_name(row_names, pid, out);
  out += "\"],";
}

}  // namespace kutrace::emit
