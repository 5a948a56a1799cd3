// SPDX-License-Identifier: BSD-3-Clause
// Two passes over the records: one for their bounds and order, one for the spans.
#include "read/span_json/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "format/event_table.h"
#include "read/form/json_records.h"
#include "read/form/thread_name.h"
#include "read/span_json/json_kinds.h"
#include "read/span_json/json_profile.h"
#include "read/span_json/json_record.h"
#include "read/span_json/json_timeline.h"

namespace kutrace::read {

namespace {

constexpr std::uint64_t kRpcLogVersion = 4;
constexpr std::uint64_t kRecordsPerReport = 1 << 17;
constexpr std::size_t kMostCallouts = 1000;
constexpr double kNsPerTick = 10;  // resolution of the file

// Calls `take` for every usable record of the array that the scanner stands at.
template <typename Take>
JsonWalk walk_records(std::string_view text, JsonScanner& scanner, Take&& take) {
  JsonRecord record;
  return walk_json_records(
      text, scanner, '[', [&record](JsonScanner& at) { return read_record(at, record); },
      [&](std::size_t from, std::size_t to) { take(record, from, to); });
}

}  // namespace

// ---- the first pass -------------------------------------------------------------------------

Error JsonSpans::error(std::string sentence, std::size_t at) const {
  return input_error(std::move(sentence)).with_file(name_).with_byte(offset_ + at);
}

Result<JsonSpans> JsonSpans::open(std::string_view text, std::string name, std::uint64_t offset) {
  JsonSpans spans(text, std::move(name), offset);
  KUTRACE_TRY(spans.read_object());
  if (spans.header_.presorted && !spans.found_.of_rows) spans.survey_rows();
  spans.found_.begin -= spans.header_.time_zero;
  spans.found_.end -= spans.header_.time_zero;
  KUTRACE_TRY(spans.judge());
  return spans;
}

Status JsonSpans::read_object() {
  JsonScanner scanner(text_);
  scanner.expect('{', "a JSON object is expected");
  while (!scanner.failed() && !scanner.take('}')) {
    const std::string_view key = scanner.raw_string();
    scanner.expect(':', "a colon is expected");
    if (scanner.failed()) break;
    if (key == "events" && scanner.peek() == '[' && events_at_ == std::string_view::npos) {
      events_at_ = scanner.position();
      survey(scanner);
    } else {
      header_.read_value(key, scanner);
    }
    if (scanner.peek() != '}' && !scanner.failed()) scanner.expect(',', "a comma is expected");
  }
  if (!scanner.failed()) return {};
  if (events_at_ == std::string_view::npos) {
    return fail(error(fmt::format("not span JSON: {}", scanner.error()), scanner.position())
                    .with_hint("a file of spans is one JSON object with an array \"events\""));
  }
  tail_lost_ = !found_.cut;
  return {};
}

// The first pass again, for a file that says only behind its records that it is a profile.
void JsonSpans::survey_rows() {
  if (events_at_ == std::string_view::npos) return;
  found_ = {};
  JsonScanner scanner(text_, events_at_);
  survey(scanner);
}

void JsonSpans::survey(JsonScanner& scanner) {
  struct Bounds {
    bool any = false;
    Ns last = 0;
  };
  std::vector<Bounds> by_cpu;
  JsonProfileRows rows;
  found_.of_rows = header_.presorted;
  const JsonWalk walk =
      walk_records(text_, scanner, [&](JsonRecord& record, std::size_t, std::size_t) {
        if (is_sentinel(record)) return;
        ++found_.spans;
        if (header_.presorted) rows.place(record);
        const bool waits =
            header_.presorted && is_wait_record(record) && in_range(record) && record.duration >= 0;
        if (!is_cpu_record(record) && !waits) return;
        const auto cpu = static_cast<std::size_t>(record.cpu);
        if (cpu >= by_cpu.size()) by_cpu.resize(cpu + 1);
        Bounds& bounds = by_cpu[cpu];
        if (bounds.any && record.start < bounds.last) ++found_.disorder;
        const Ns end = record.start + record.duration;
        found_.begin = found_.cpu_spans == 0 ? record.start : std::min(found_.begin, record.start);
        found_.end = found_.cpu_spans == 0 ? end : std::max(found_.end, end);
        ++found_.cpu_spans;
        bounds = {true, record.start};
      });
  for (CpuId cpu = 0; cpu < by_cpu.size(); ++cpu) {
    if (by_cpu[cpu].any) found_.cpus.push_back(cpu);
  }
  found_.other = walk.other;
  found_.damaged = walk.damaged;
  found_.first_bad = walk.first_bad;
  found_.cut = walk.cut;
}

Status JsonSpans::judge() const {
  if (header_.version == kRpcLogVersion) {
    return fail(input_error("is a log of remote procedure calls (version 4), not a trace of CPUs")
                    .with_file(name_)
                    .with_hint("give the span JSON or the raw trace of the same run"));
  }
  if (events_at_ == std::string_view::npos) {
    return fail(error("not span JSON: the object has no array \"events\"", 0));
  }
  if (found_.cpu_spans != 0) return {};
  if (found_.other + found_.damaged != 0) {
    return fail(error("the records of \"events\" are not spans", found_.first_bad)
                    .with_hint("a span is [ts, dur, cpu, pid, rpc, event, arg, retval, ipc, "
                               "\"name\"]"));
  }
  return fail(error("the file holds no span of any CPU", events_at_)
                  .with_hint("its spans of threads alone say nothing about any CPU's time"));
}

// ---- the second pass ------------------------------------------------------------------------

class JsonSpans::Replay {
 public:
  Replay(const JsonSpans& file, NameTable& names, SpanSink& sink, const Counters& opened)
      : file_(file),
        names_(names),
        sink_(sink),
        kinds_(names),
        timeline_(start(file), names, sink,
                  file.header_.presorted ? SpanKind::kHidden : SpanKind::kLoss) {
    info_.counters.add(opened);
    sink_.begin(info_);
  }

  // May change the record.
  void record(JsonRecord& record, std::string_view text) {
    if (is_sentinel(record)) return;
    record.start -= file_.header_.time_zero;
    if (file_.header_.presorted) rows_.place(record);
    switch (kinds_.convert(record, span_)) {
      case JsonKinds::Meaning::kSpan:
        if (file_.header_.presorted && span_.kind == SpanKind::kWait) hide(record);
        return is_execution(span_.kind) ? execution() : overlay();
      case JsonKinds::Meaning::kRowName:
        return row_name();
      case JsonKinds::Meaning::kCallout:
        if (callouts_.size() < kMostCallouts) callouts_.emplace_back(text);
        return;
      case JsonKinds::Meaning::kOverlay:
        return info_.counters.add(Counter::kJsonDrawingLeftOut);
      case JsonKinds::Meaning::kUnusable:
        return info_.counters.add(Counter::kJsonRecordWithoutMeaning);
    }
  }

  TraceInfo finish() {
    if (!waiting_.empty()) {
      std::sort(waiting_.begin(), waiting_.end(), [](const Span& a, const Span& b) {
        return std::tie(a.start, a.duration) < std::tie(b.start, b.duration);
      });
      for (const Span& span : waiting_) thread_and_timeline(span);
      info_.counters.add(Counter::kJsonUnsorted, file_.found_.disorder);
    }
    timeline_.finish();
    for (const auto& [pid, name] : row_names_) {
      ThreadInfo& thread = info_.threads[pid];
      if (thread.name == kNoName) thread.name = name;
    }
    if (!callouts_.empty()) {
      info_.facts.add(fact::kCallouts, fmt::format("[{}]", fmt::join(callouts_, ",")));
    }
    damage();
    sink_.end(info_);
    return std::move(info_);
  }

 private:
  TraceInfo& start(const JsonSpans& file) {
    info_.begin = file.found_.begin;
    info_.end = file.found_.end;
    info_.cpus = file.found_.cpus;
    info_.ns_per_tick = kNsPerTick;
    info_.events = file.found_.cpu_spans;
    info_.entries = file.found_.spans;
    file.header_.apply(info_);
    return info_;
  }

  // The row's CPU did nothing meanwhile.
  void hide(const JsonRecord& record) {
    in_order(hidden_span(static_cast<CpuId>(record.cpu), record.start,
                         record.start + record.duration, names_.intern(kHiddenName)));
  }

  void count_event() {
    if (span_.event >= 0x1000) return;
    if (++info_.by_event[static_cast<std::uint16_t>(span_.event)] != 1) return;
    const std::string_view point = point_name(span_.event);
    info_.event_names[span_.event] = point.empty() ? names_.text(span_.name) : std::string(point);
  }

  void execution() {
    count_event();
    in_order(span_);
  }

  void in_order(const Span& span) {
    if (file_.found_.disorder == 0) return thread_and_timeline(span);
    waiting_.push_back(span);
  }

  void overlay() {
    count_event();
    sink_.push(span_);
  }

  // A thread's name is that of its user-mode spans; another one from some time on is a rename.
  void thread_and_timeline(Span span) {
    if (span.kind == SpanKind::kUser && !JsonProfileRows::is_row(span.pid)) {
      ThreadInfo& thread = info_.threads[span.pid];
      if (thread.kernel_thread) span.kind = SpanKind::kKernelThread;
      take_thread_name(span, thread, sink_);
    }
    timeline_.push(span);
  }

  void row_name() {
    if (span_.pid > 0) row_names_[span_.pid] = span_.name;
  }

  void damage() {
    const Found& facts = file_.found_;
    info_.counters.add(Counter::kJsonRecordOfOtherShape, facts.other);
    info_.counters.add(Counter::kJsonRecordUnreadable, facts.damaged);
    info_.counters.add(Counter::kJsonCut, facts.cut ? 1 : 0);
    info_.counters.add(Counter::kJsonTailUnreadable, file_.tail_lost_ ? 1 : 0);
    if (facts.other + facts.damaged != 0) {
      info_.facts.add(fact::kFirstBadByte, file_.offset_ + facts.first_bad);
    }
  }

  const JsonSpans& file_;
  NameTable& names_;
  SpanSink& sink_;
  TraceInfo info_;
  JsonKinds kinds_;
  JsonTimeline timeline_;
  Span span_;
  std::vector<Span> waiting_;  // execution spans of a file that is not in order
  std::map<Pid, NameId> row_names_;
  JsonProfileRows rows_;
  std::vector<std::string> callouts_;
};

TraceInfo JsonSpans::replay(NameTable& names, SpanSink& sink, const Counters& opened,
                            const std::function<void(double)>& progress) const {
  Replay replay(*this, names, sink, opened);
  JsonScanner scanner(text_, events_at_);
  std::uint64_t seen = 0;
  walk_records(text_, scanner, [&](JsonRecord& record, std::size_t from, std::size_t to) {
    replay.record(record, text_.substr(from, to - from));
    if (++seen % kRecordsPerReport == 0 && progress) {
      progress(static_cast<double>(to) / static_cast<double>(text_.size()));
    }
  });
  return replay.finish();
}

}  // namespace kutrace::read
