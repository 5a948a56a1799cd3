// SPDX-License-Identifier: BSD-3-Clause
// Events of the Trace Event Format. Its times are microseconds; three places behind the point keep
// every nanosecond.
#include "emit/chrome/chrome.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "emit/stream/decimal.h"
#include "model/default_title.h"

namespace kutrace::emit {

namespace {

// Readers take a thread 0, or one that has its process's number, for that process: these are
// numbers that no thread has.
constexpr std::uint64_t kCpus = 2'000'000'001;
constexpr std::uint64_t kThreads = 2'000'000'002;
constexpr std::uint64_t kFirstCpu = 2'000'001'000;

// "12.345"
void add_microseconds(std::string& text, Ns time) {
  if (time < 0) text += '-';
  const auto size = static_cast<std::uint64_t>(time < 0 ? -time : time);
  append_decimal(text, size / 1000);
  const auto rest = static_cast<unsigned>(size % 1000);
  text += '.';
  for (const unsigned place : {100U, 10U, 1U}) text += static_cast<char>('0' + rest / place % 10);
}

}  // namespace

ChromeSink::ChromeSink(const NameTable& names, TakeBytes take)
    : names_(names),
      take_(std::move(take)),
      texts_(names, [](const std::string& text) { return json_printable(text); }) {}

void ChromeSink::begin(const TraceInfo& /*known*/) {
  take_(R"({"displayTimeUnit":"ns","traceEvents":[)");
}

ChromeSink::Place ChromeSink::of_thread(Pid pid) {
  threads_.insert(pid);
  return {kThreads, static_cast<std::uint32_t>(pid)};
}

ChromeSink::Place ChromeSink::of_cpu(CpuId cpu) {
  cpus_.insert(cpu);
  return {kCpus, kFirstCpu + cpu};
}

void ChromeSink::end_line() {
  take_(first_ ? "\n" : ",\n");
  first_ = false;
  take_(line_);
  line_.clear();
}

void ChromeSink::end_line_at(Ns time) {
  add_microseconds(line_, time);
  line_ += '}';
  end_line();
}

void ChromeSink::slice(Place place, Ns start, Ns duration, std::string_view category, NameId name,
                       std::string_view arguments) {
  line_ += R"({"ph":"X","pid":)";
  append_decimal(line_, place.process);
  line_ += R"(,"tid":)";
  append_decimal(line_, place.row);
  line_ += R"(,"cat":")";
  line_ += category;
  line_ += R"(","name":")";
  line_ += texts_.of(name);
  line_ += R"(","ts":)";
  add_microseconds(line_, start);
  line_ += ",\"dur\":";
  add_microseconds(line_, duration);
  if (!arguments.empty()) {
    line_ += ",\"args\":{";
    line_ += arguments;
    line_ += '}';
  }
  line_ += '}';
  end_line();
}

void ChromeSink::moment(Place place, const Span& span) {
  fmt::format_to(
      std::back_inserter(line_),
      R"({{"ph":"i","s":"t","pid":{},"tid":{},"cat":"{}","name":"{}","args":{{"arg":{}}},"ts":)",
      place.process, place.row, span_kind_name(span.kind), texts_.of(span.name),
      static_cast<std::int64_t>(span.arg));
  end_line_at(span.start + span.duration);
}

void ChromeSink::arc(const Span& span) {
  const std::uint64_t id = ++arcs_;
  const auto end = [&](const char* phase, CpuId cpu, Ns time) {
    fmt::format_to(std::back_inserter(line_),
                   R"({{"ph":"{}","pid":{},"tid":{},"cat":"{}","name":"{}","id":{},"ts":)", phase,
                   kCpus, of_cpu(cpu).row, span_kind_name(span.kind), texts_.of(span.name), id);
    end_line_at(time);
  };
  end("s", span.cpu, span.start);
  end(R"(f","bp":"e)", span.low_arg(), span.start + span.duration);
}

void ChromeSink::push(const Span& span) {
  if (is_execution(span.kind)) {
    std::string thread;
    if (span.pid != kNoPid) {
      thread = "\"thread\":";
      append_decimal(thread, span.pid);
    }
    return slice(of_cpu(span.cpu), span.start, span.duration, span_kind_name(span.kind), span.name,
                 thread);
  }
  switch (span.kind) {
    case SpanKind::kWait:
      return slice(of_thread(span.pid), span.start, span.duration, "wait", span.name, "");
    case SpanKind::kMark:
    case SpanKind::kPoint:
    case SpanKind::kSample:
      return moment(span.pid > 0 ? of_thread(span.pid) : of_cpu(span.cpu), span);
    case SpanKind::kWakeupArc:
    case SpanKind::kIpiArc:
      return arc(span);
    case SpanKind::kFrequency:
      fmt::format_to(std::back_inserter(line_),
                     R"({{"ph":"C","pid":{},"name":"MHz of CPU {}","args":{{"MHz":{}}},"ts":)",
                     kCpus, span.cpu, span.low_arg());
      return end_line_at(span.start);
    case SpanKind::kLockHeld:
    case SpanKind::kLockWanted:
    case SpanKind::kQueued:
    case SpanKind::kRpc:
    case SpanKind::kFunction:
    case SpanKind::kMessage: {
      // They overlap others of their thread: slices of their own.
      const std::uint64_t id = ++arcs_;
      for (const char* phase : {"b", "e"}) {
        fmt::format_to(std::back_inserter(line_),
                       R"({{"ph":"{}","pid":{},"tid":{},"cat":"{}","name":"{}","id":{},"ts":)",
                       phase, kThreads, std::max(span.pid, 0), span_kind_name(span.kind),
                       texts_.of(span.name), id);
        end_line_at(span.start + (*phase == 'e' ? span.duration : 0));
      }
      return;
    }
    default:
      return;
  }
}

void ChromeSink::call(const Call& call) {
  if (call.pid <= 0) return;  // it is a piece of its CPU's row
  const std::string result =
      call.has_result ? fmt::format("\"result\":{}", call.result.value) : std::string();
  slice(of_thread(call.pid), call.begin, call.duration(), span_kind_name(call.kind), call.name,
        result);
}

void ChromeSink::name_row(Place place, std::string_view what, std::string_view name) {
  fmt::format_to(std::back_inserter(line_),
                 R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":"{}"}}}})",
                 place.process, place.row, what, json_printable(name));
  end_line();
}

Status ChromeSink::finish(const TraceInfo& info) {
  name_row({kCpus, 0}, "process_name", "CPUs");
  name_row({kThreads, 0}, "process_name", "threads");
  for (const CpuId cpu : cpus_)
    name_row({kCpus, kFirstCpu + cpu}, "thread_name", fmt::format("CPU {}", cpu));
  for (const Pid pid : threads_) {
    const auto known = info.threads.find(pid);
    const std::string name =
        known == info.threads.end() ? std::string() : names_.text(known->second.name);
    name_row({kThreads, static_cast<std::uint32_t>(pid)}, "thread_name",
             fmt::format("{}.{}", name, pid));
  }
  take_(fmt::format("\n],\"otherData\":{{\"title\":\"{}\",\"host\":\"{}\"}}}}\n",
                    json_printable(default_title(info)), json_printable(info.host_name)));
  return {};
}

}  // namespace kutrace::emit
