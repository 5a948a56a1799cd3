// SPDX-License-Identifier: BSD-3-Clause
// Text forms of events and spans.
#include "emit/text/text_sink.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/append_format.h"
#include "base/text.h"
#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::emit {

namespace {

std::string event_name(EventNum number) {
  if (number == timeline::kBlockStart) return "block";
  if (number == timeline::kGap) return "gap";
  switch (event_class(number)) {
    case EventClass::kName:
      return fmt::format("name:{}", kind_name(name_kind(number)));
    case EventClass::kPoint:
    case EventClass::kPcSample:
      return std::string(point_name(number));
    case EventClass::kTrap:
      return "trap";
    case EventClass::kTrapReturn:
      return "/trap";
    case EventClass::kIrq:
      return number == ev::kBottomHalf ? "softirq" : "irq";
    case EventClass::kIrqReturn:
      return number == (ev::kBottomHalf | ev::kReturnBit) ? "/softirq" : "/irq";
    case EventClass::kSyscall:
      return "syscall";
    case EventClass::kSyscallReturn:
      return "/syscall";
    case EventClass::kUnassigned:
      break;
  }
  return "unassigned";
}

bool carries_words(EventNum number) {
  const EventNum kind = name_kind(number);
  return kind == kind::kTASK || kind == kind::kLOSS || kind == kind::kBLOCK ||
         kind == kind::kSTACKS || kind == kind::kPOINT;
}

std::string_view left_text(std::uint32_t arg) {
  if (decode::is_unseen_switch(arg)) return " unseen";
  if ((arg & KUTRACE_SWITCH_RUNNABLE) != 0) return " left=runnable";
  if ((arg & KUTRACE_SWITCH_BLOCKED) != 0) return " left=blocked";
  return "";
}

std::string cpu_text(CpuId cpu) { return cpu == kNoCpu ? "-" : fmt::format("{}", cpu); }

// "syscall:read": one word whatever the trace calls it.
std::string named_call(const timeline::Event& event, spans::NameBook& names,
                       const NameTable& texts) {
  const EventNum number = event.entry.number;
  if (event_class(number) == EventClass::kName && name_kind(number) == kind::kPOINT)
    return fmt::format("point:{}", point_name(static_cast<EventNum>(event.entry.arg)));
  std::string name = event_name(number);
  if (!is_call(number) && !is_return(number)) return name;
  const NameId id = names.call(number & ~ev::kReturnBit, event.entry.arg);
  std::string called = texts.text(id);
  std::ranges::replace(called, ' ', '_');
  return name.append(":").append(called);
}

std::string event_line(const timeline::Event& event, const std::string& called) {
  const decode::Entry& entry = event.entry;
  const bool is_switch = entry.number == ev::kUSERPID;
  std::string line =
      fmt::format("{} {} {:03x} {} {}", event.time, cpu_text(event.cpu), entry.number, called,
                  is_switch ? decode::switched_to(entry.arg) : entry.arg);
  if (is_switch) line += left_text(entry.arg);
  if (is_switch && decode::is_hidden_switch(entry.arg)) line += " hidden";
  if (entry.fold_ticks != 0) {
    append_format(line, " ret={} dur={}", static_cast<std::int16_t>(entry.result), event.duration);
  }
  if (entry.number == timeline::kGap) append_format(line, " dur={}", event.duration);
  if (event_class(entry.number) == EventClass::kPcSample) {
    append_format(line, " pc={:x}", entry.payload_word(0));
  }
  const bool name = event_class(entry.number) == EventClass::kName;
  if (name && carries_words(entry.number)) {
    for (unsigned i = 0; i + 1 < entry.words; ++i) {
      append_format(line, " {:x}", entry.payload_word(i));
    }
  } else if ((name || entry.number == timeline::kBlockStart) && entry.words > 1) {
    append_format(line, " \"{}\"", json_printable(entry.payload_text()));
  }
  return line;
}

}  // namespace

std::string event_line(const timeline::Event& event) {
  return event_line(event, event_name(event.entry.number));
}

EventText::EventText(const std::vector<decode::Entry>& preamble) : names_(texts_) {
  for (const decode::Entry& entry : preamble) names_.define(entry);
}

std::string EventText::line(const timeline::Event& event) {
  if (event_class(event.entry.number) == EventClass::kName) names_.define(event.entry);
  return event_line(event, named_call(event, names_, texts_));
}

void SpanText::push(const Span& span) {
  std::string line =
      fmt::format("{} {} {} {} {} {:x} {} {} {} {} \"{}\"", span.start, span.duration,
                  cpu_text(span.cpu), span.pid, span_kind_name(span.kind), span.event, span.arg,
                  span.has_result ? fmt::format("{}", span.result.value) : "-", span.rpc, span.ipc,
                  json_escaped(names_.text(span.name)));
  if (is_arc(span.kind)) append_format(line, " other={}", span.other);
  if (span.kind == SpanKind::kSample) {
    append_format(line, " pc={:x}", span.value);
  }
  line_(line);
}

}  // namespace kutrace::emit
