// SPDX-License-Identifier: BSD-3-Clause
// Events of the Trace Event Format. Its times are microseconds; three places behind the point keep
// every nanosecond.
#include "emit/chrome/chrome.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "format/chrome_rows.h"
#include "model/default_title.h"
#include "model/thread_label.h"

namespace kutrace::emit {

ChromeSink::ChromeSink(const NameTable& names, TakeBytes take)
    : names_(names),
      lines_(std::move(take)),
      texts_(names, [](const std::string& text) { return json_printable(text); }) {}

void ChromeSink::begin(const TraceInfo& /*known*/) {
  lines_.text(R"({"displayTimeUnit":"ns","traceEvents":[)");
}

ChromeSink::Place ChromeSink::of_thread(Pid pid) {
  bool& is_known = is_known_[pid];
  if (!is_known) threads_.insert(pid);
  is_known = true;
  return {chrome::kThreads, static_cast<std::uint32_t>(pid)};
}

ChromeSink::Place ChromeSink::of_cpu(CpuId cpu) {
  if (cpu != last_cpu_) cpus_.insert(cpu);
  last_cpu_ = cpu;
  return {chrome::kCpus, chrome::kFirstCpu + cpu};
}

// Begins an event's line; whoever calls it closes the brace.
TextBuffer& ChromeSink::line(std::string_view phase, std::uint64_t process) {
  lines_.text(first_ ? "\n" : ",\n");
  first_ = false;
  return lines_.text(R"({"ph":")").text(phase).text(R"(","pid":)").number(process);
}

TextBuffer& ChromeSink::event(std::string_view phase, Place place, std::string_view category,
                              NameId name) {
  line(phase, place.process).text(R"(,"tid":)").number(place.row);
  return lines_.text(R"(,"cat":")").text(category).text(R"(","name":")").text(texts_.of(name));
}

TextBuffer& ChromeSink::slice(Place place, Ns start, Ns duration, std::string_view category,
                              NameId name) {
  event("X", place, category, name).text(R"(","ts":)").microseconds(start);
  return lines_.text(R"(,"dur":)").microseconds(duration);
}

void ChromeSink::moment(Place place, const Span& span) {
  event(R"(i","s":"t)", place, span_kind_name(span.kind), span.name).text(R"(","args":{"arg":)");
  lines_.number(static_cast<std::int64_t>(span.arg)).text(R"(},"ts":)");
  lines_.microseconds(span.start + span.duration).byte('}');
}

// One end of what has two events, which its number joins.
void ChromeSink::end_of(const Span& span, std::string_view phase, Place place, Ns time) {
  event(phase, place, span_kind_name(span.kind), span.name).text(R"(","id":)").number(pairs_);
  lines_.text(R"(,"ts":)").microseconds(time).byte('}');
}

void ChromeSink::arc(const Span& span) {
  ++pairs_;
  end_of(span, "s", of_cpu(span.cpu), span.start);
  end_of(span, R"(f","bp":"e)", of_cpu(span.low_arg()), span.start + span.duration);
}

// It overlaps others of its thread: a slice of its own.
void ChromeSink::of_thread_alone(const Span& span) {
  ++pairs_;
  const Place place = of_thread(std::max(span.pid, 0));
  end_of(span, "b", place, span.start);
  end_of(span, "e", place, span.start + span.duration);
}

void ChromeSink::push(const Span& span) {
  if (is_execution(span.kind)) {
    slice(of_cpu(span.cpu), span.start, span.duration, span_kind_name(span.kind), span.name);
    if (span.pid != kNoPid) lines_.text(R"(,"args":{"thread":)").number(span.pid).byte('}');
    lines_.byte('}');
    return;
  }
  switch (span.kind) {
    case SpanKind::kWait:
      slice(of_thread(span.pid), span.start, span.duration, "wait", span.name).byte('}');
      return;
    case SpanKind::kMark:
    case SpanKind::kPoint:
    case SpanKind::kSample:
      // What has no CPU has no thread either: it stands with idle.
      return moment(
          span.pid > 0 || span.cpu == kNoCpu ? of_thread(std::max(span.pid, 0)) : of_cpu(span.cpu),
          span);
    case SpanKind::kWakeupArc:
    case SpanKind::kIpiArc:
      return arc(span);
    case SpanKind::kFrequency:
      line("C", chrome::kCpus).text(R"(,"name":")").text(chrome::kFrequencyOf).number(span.cpu);
      lines_.text(R"(","args":{"MHz":)").number(span.low_arg()).text(R"(},"ts":)");
      lines_.microseconds(span.start).byte('}');
      return;
    case SpanKind::kLockHeld:
    case SpanKind::kLockWanted:
    case SpanKind::kQueued:
    case SpanKind::kRpc:
    case SpanKind::kFunction:
    case SpanKind::kMessage:
      return of_thread_alone(span);
    default:
      return;
  }
}

void ChromeSink::call(const Call& call) {
  if (call.pid <= 0) return;  // it is a piece of its CPU's row
  slice(of_thread(call.pid), call.begin, call.duration(), span_kind_name(call.kind), call.name);
  bool any = false;
  const auto argument = [&](std::string_view key) -> TextBuffer& {
    return lines_.text(std::exchange(any, true) ? "," : R"(,"args":{)").text(key);
  };
  if (call.has_result) argument(R"("result":)").number(call.result.value);
  if (call.begin_inferred) argument(R"("begun":false)");
  if (call.end_inferred) argument(R"("ended":false)");
  lines_.text(any ? "}}" : "}");
}

void ChromeSink::name_row(Place place, std::string_view what, std::string_view name) {
  line("M", place.process).text(R"(,"tid":)").number(place.row).text(R"(,"name":")").text(what);
  lines_.text(R"(","args":{"name":")").text(json_printable(name)).text("\"}}");
}

Status ChromeSink::finish(const TraceInfo& info) {
  name_row({chrome::kCpus, 0}, "process_name", "CPUs");
  name_row({chrome::kThreads, 0}, "process_name", "threads");
  for (const CpuId cpu : cpus_)
    name_row({chrome::kCpus, chrome::kFirstCpu + cpu}, "thread_name", fmt::format("CPU {}", cpu));
  for (const Pid pid : threads_)
    name_row({chrome::kThreads, static_cast<std::uint32_t>(pid)}, "thread_name",
             thread_label(pid, info, names_));
  lines_.text(fmt::format("\n],\"otherData\":{{\"title\":\"{}\",\"host\":\"{}\"}}}}\n",
                          json_printable(default_title(info)), json_printable(info.host_name)));
  lines_.hand_over();
  return {};
}

}  // namespace kutrace::emit
