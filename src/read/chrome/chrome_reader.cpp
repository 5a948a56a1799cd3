// SPDX-License-Identifier: BSD-3-Clause
// Two passes over the events: one for times, CPUs and threads, one for the spans.
#include "read/chrome/chrome_reader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/number_text.h"
#include "format/chrome_rows.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "model/thread_label.h"
#include "read/chrome/chrome_asyncs.h"
#include "read/chrome/chrome_calls.h"
#include "read/chrome/chrome_counters.h"
#include "read/chrome/chrome_slices.h"
#include "read/chrome/own_rows.h"
#include "read/form/thread_name.h"
#include "read/span_json/json_timeline.h"

namespace kutrace::read {

namespace {

constexpr std::uint64_t kEventsPerReport = 1 << 17;
// Of times and ends of events: of two that are allowed the difference is a time, too.
constexpr Ns kLatest = 4'000'000'000'000'000'000;
constexpr CpuId kOnlyCpu = 0;  // whose time is lost where the file tells of none
constexpr std::string_view kMarkOfInstant = "mark_a=";

// Whether an event's times are what its phase needs.
bool is_usable(const ChromeEvent& event) {
  if (event.phase == 'M') return true;
  if (event.bad_time || !event.time) return false;
  if (event.phase != 'X') return true;
  return event.duration && *event.duration >= 0 && *event.time <= kLatest - *event.duration;
}

// A field of an event's arguments, as it stands.
std::string_view argument(const ChromeEvent& event, std::string_view wanted) {
  std::string_view found;
  each_chrome_member(event.args, [&](std::string_view key, std::string_view value) {
    if (key == wanted) found = value;
  });
  return found;
}

}  // namespace

// ---- the first pass -------------------------------------------------------------------------

Result<ChromeSpans> ChromeSpans::open(std::string_view text, const std::string& file_name) {
  KUTRACE_ASSIGN(ChromeText opened, ChromeText::open(text, file_name));
  ChromeSpans spans(std::move(opened));
  spans.survey();
  if (spans.found_.begin > spans.found_.end) {
    return fail(input_error("has no event that can be used")
                    .with_file(file_name)
                    .with_byte(spans.found_.walk.first_bad)
                    .with_hint(R"(an event of Chrome's JSON has a phase "ph" and a time "ts")"));
  }
  return spans;
}

void ChromeSpans::survey() {
  std::map<CpuId, Ns> latest;
  found_.begin = std::numeric_limits<Ns>::max();
  found_.end = std::numeric_limits<Ns>::min();
  found_.walk = text_.walk([&](const ChromeEvent& event, std::size_t) {
    if (!is_usable(event)) {
      ++found_.unusable;
      return;
    }
    ++found_.events;
    const bool executes = is_execution_row(event);
    const Ns time = event.time.value_or(0);
    const Ns end = time + (event.phase == 'X' ? *event.duration : 0);
    if (executes) {
      const auto [last, is_first] = latest.try_emplace(*cpu_of_row(event), time);
      if (!is_first && time < last->second) ++found_.disorder;
      last->second = time;
    }
    if (!executes && row_of(event) != ChromeRow::kOther) return;
    if (!executes) {
      ChromeThreads::Thread& thread =
          threads_.thread(threads_.thread_of(event.process, event.thread));
      if (event.phase == 'M') {
        const std::size_t process = thread.process;
        if (event.name == "thread_name") thread.name = argument(event, "name");
        if (event.name == "process_name") threads_.process(process).name = argument(event, "name");
        return;
      }
      thread.does(time, end);
    }
    found_.begin = std::min(found_.begin, time);
    found_.end = std::max(found_.end, end);
  });
  for (const auto& [cpu, time] : latest) found_.cpus.push_back(cpu);
  if (found_.begin > found_.end) return;
  if (!has_cpus()) found_.base = found_.begin;
  found_.begin -= found_.base;
  found_.end -= found_.base;
}

// ---- the second pass ------------------------------------------------------------------------

class ChromeSpans::Replay {
 public:
  Replay(const ChromeSpans& file, NameTable& names, SpanSink& sink, const Counters& opened)
      : file_(file),
        names_(names),
        sink_(sink),
        rows_(names),
        asyncs_(names),
        threads_(file.threads_),
        timeline_(start(), names, sink, SpanKind::kLoss, false) {
    info_.counters.add(opened);
    sink_.begin(info_);
    name_threads();
  }

  void event(const ChromeEvent& event) {
    if (!is_usable(event)) return;
    switch (row_of(event)) {
      case ChromeRow::kCpu:
        return of_cpu(event);
      case ChromeRow::kThread:
        return of_thread(event);
      case ChromeRow::kOther:
        return of_program(event);
    }
  }

  TraceInfo finish() {
    if (!waiting_.empty()) {
      std::ranges::sort(waiting_, [](const Span& a, const Span& b) {
        return std::tie(a.start, a.duration) < std::tie(b.start, b.duration);
      });
      for (const Span& span : waiting_) execute(span);
      info_.counters.add(Counter::kJsonUnsorted, file_.found_.disorder);
    }
    if (file_.has_cpus()) {
      timeline_.finish();
    } else {
      lose_all();
    }
    for (const auto& [pid, moments] : moments_)
      for (const Span& moment : moments) sink_.push(moment);
    for (const auto& [cpu, span] : frequencies_) tell_frequency(span, info_.end);
    finish_programs();
    count();
    sink_.end(info_);
    return std::move(info_);
  }

 private:
  TraceInfo& start() {
    const Found& found = file_.found_;
    info_.begin = found.begin;
    info_.end = found.end;
    info_.cpus = found.cpus;
    if (!file_.has_cpus()) info_.cpus.push_back(kOnlyCpu);
    info_.ns_per_tick = 1;
    info_.events = found.events;
    info_.entries = found.events;
    info_.host_name = file_.text_.host();
    info_.cpu_model = file_.text_.cpu_model();
    if (!file_.text_.title().empty()) info_.facts.add(fact::kTitle, file_.text_.title());
    if (const std::uint64_t wall = file_.text_.wall_usec(); wall != 0)
      info_.wall_usec = wall + static_cast<std::uint64_t>(found.base / 1000);
    if (info_.wall_usec == 0)
      info_.facts.add(fact::kWallClock, std::string("not known: the file does not tell it"));
    if (!file_.has_cpus()) info_.facts.add(fact::kUnseen, std::string("who ran, and on which CPU"));
    if (file_.text_.has_system_trace())
      info_.facts.add(fact::kUnseen, std::string("the kernel's events in systemTraceEvents"));
    return info_;
  }

  // A process's name is that of its first thread, where that has none.
  void name_threads() {
    for (const ChromeThreads::Process& process : threads_.processes())
      if (!process.name.empty()) info_.threads[process.pid].name = rows_.intern(process.name);
    for (const ChromeThreads::Thread& thread : threads_.threads()) {
      ThreadInfo& info = info_.threads[thread.pid];
      if (!thread.name.empty()) info.name = rows_.intern(thread.name);
      info.process = threads_.processes()[thread.process].pid;
    }
  }

  void left_out() { info_.counters.add(Counter::kChromeEventLeftOut); }

  // ---- rows of CPUs ----

  void of_cpu(const ChromeEvent& event) {
    if (is_execution_row(event)) {
      const Span span = rows_.span_of(event, *kind_of_category(event.category));
      if (file_.found_.disorder == 0) return execute(span);
      return waiting_.push_back(span);
    }
    const auto kind = kind_of_category(event.category);
    if (event.phase == 'C') return frequency(event);
    if (event.phase == 'i' && kind && is_moment(*kind))
      return sink_.push(rows_.span_of(event, *kind));
    if ((event.phase == 's' || event.phase == 'f') && kind && is_arc(*kind))
      return arc(event, *kind);
    if (event.phase != 'M') left_out();
  }

  void execute(Span span) {
    if (is_user(span.kind) && span.pid > 0) {
      ThreadInfo& thread = info_.threads[span.pid];
      thread.kernel_thread = span.kind == SpanKind::kKernelThread;
      take_thread_name(span, thread, sink_);
    }
    settle_moments(span);
    calls_.executes(span);
    timeline_.push(span);
  }

  // Moments of a thread lie in what it executes, which comes when it is over.
  void settle_moments(const Span& span) {
    const auto found = moments_.find(span.pid);
    if (found == moments_.end()) return;
    for (Span& moment : found->second) {
      if (moment.start >= span.start && moment.start <= span.start + span.duration)
        moment.cpu = span.cpu;
      sink_.push(moment);
    }
    moments_.erase(found);
  }

  void arc(const ChromeEvent& event, SpanKind kind) {
    if (event.phase == 's') {
      arcs_[event.id] = rows_.span_of(event, kind);
      return;
    }
    const auto begun = arcs_.find(event.id);
    const auto cpu = cpu_of_row(event);
    if (begun == arcs_.end() || !cpu || *event.time < begun->second.start) return left_out();
    Span span = begun->second;
    span.duration = *event.time - span.start;
    span.arg = *cpu;
    arcs_.erase(begun);
    sink_.push(span);
  }

  void frequency(const ChromeEvent& event) {
    const std::optional<CpuId> cpu = cpu_of_frequency(event);
    const auto mhz = parse_number<std::uint32_t>(argument(event, "MHz"));
    if (!cpu || !mhz) return left_out();
    const auto [last, is_first] = frequencies_.try_emplace(*cpu);
    if (!is_first) tell_frequency(last->second, *event.time);
    last->second = {};
    last->second.kind = SpanKind::kFrequency;
    last->second.event = ev::kFREQUENCY;
    last->second.name = names_.intern(point_name(ev::kFREQUENCY));
    last->second.start = *event.time;
    last->second.cpu = *cpu;
    last->second.arg = *mhz;
  }

  // It holds until the next one of its CPU.
  void tell_frequency(Span span, Ns until) {
    span.duration = std::max<Ns>(until - span.start, 0);
    sink_.push(span);
  }

  // ---- rows of threads ----

  void of_thread(const ChromeEvent& event) {
    const auto kind = kind_of_category(event.category);
    if (event.phase == 'M') return name_row(event);
    if (!kind || !thread_of_row(event)) return left_out();
    if (event.phase == 'i' && is_moment(*kind))
      return moments_[*thread_of_row(event)].push_back(rows_.span_of(event, *kind));
    if ((event.phase == 'b' || event.phase == 'e') && is_interval(*kind))
      return interval(event, *kind);
    if (event.phase != 'X') return left_out();
    const Span span = rows_.span_of(event, *kind);
    if (span.pid <= 0) return left_out();
    if (*kind == SpanKind::kWait) {
      calls_.waits(span);
      return sink_.push(span);
    }
    if (!is_call_kind(*kind)) return left_out();
    calls_.call(span, {argument(event, "begun") != "false", argument(event, "ended") != "false"},
                sink_);
  }

  void name_row(const ChromeEvent& event) {
    if (event.name != "thread_name") return;
    const auto pid = thread_of_row(event);
    if (!pid || *pid == 0) return;
    ThreadInfo& thread = info_.threads[*pid];
    if (thread.name == kNoName)
      thread.name = rows_.intern(name_in_label(argument(event, "name"), *pid));
  }

  void interval(const ChromeEvent& event, SpanKind kind) {
    if (event.phase == 'b') {
      intervals_[event.id] = rows_.span_of(event, kind);
      return;
    }
    const auto begun = intervals_.find(event.id);
    if (begun == intervals_.end() || *event.time < begun->second.start) return left_out();
    Span span = begun->second;
    span.duration = *event.time - span.start;
    intervals_.erase(begun);
    if (span.kind != SpanKind::kFunction) return sink_.push(span);
    if (span.pid <= 0) return left_out();
    const auto owner = owner_of_.try_emplace(span.pid, owners_.size()).first->second;
    if (owner == owners_.size()) owners_.push_back({span.pid, ThreadId::kNone, info_.end});
    functions_.whole(static_cast<std::uint32_t>(owner), span.start, span.start + span.duration,
                     span.name);
  }

  // ---- other programs' events ----

  void of_program(const ChromeEvent& event) {
    const std::size_t index = threads_.thread_of(event.process, event.thread);
    const ChromeThreads::Thread& thread = threads_.threads()[index];
    const auto owner = static_cast<std::uint32_t>(index);
    const Ns time = event.time.value_or(0) - file_.found_.base;
    const auto name = [&] { return rows_.intern(event.name); };
    switch (event.phase) {
      case 'M':
        return;
      case 'B':
        return slices_.begin(owner, time, name());
      case 'E':
        return slices_.end(owner, time, name());
      case 'X':
        return slices_.whole(owner, time, time + *event.duration, name());
      case 'b':
      case 'S':
        return asyncs_.begin(event, thread.pid, time, name());
      case 'e':
      case 'F':
        return asyncs_.end(event, thread.pid, time, name());
      case 'i':
      case 'I':
      case 'n':
      case 'R':
      case 'T':
      case 'p':
        return instant(thread, time, name());
      case 'C':
        return counters_.add(event, threads_.processes()[thread.process].pid, time);
      default:
        return left_out();
    }
  }

  void instant(const ChromeThreads::Thread& thread, Ns time, NameId name) {
    NameId& label = labels_[name];
    if (label == kNoName) label = names_.intern(std::string(kMarkOfInstant) + names_.text(name));
    Span span;
    span.start = time;
    span.pid = thread.pid;
    span.event = ev::kMARK_A;
    span.name = label;
    span.kind = SpanKind::kMark;
    sink_.push(span);
  }

  // Who ran when is not known of any CPU.
  void lose_all() {
    if (info_.end == info_.begin) return;
    info_.losses.push_back(
        {kOnlyCpu, info_.begin, info_.end, KUTRACE_LOSS_UNKNOWN_COUNT, KUTRACE_LOSS_NO_CPUS});
    sink_.push(
        loss_span(kOnlyCpu, info_.begin, info_.end, KUTRACE_LOSS_NO_CPUS, names_.intern("-loss-")));
  }

  void finish_programs() {
    functions_.finish(owners_, sink_, info_.counters);
    std::vector<ChromeSlices::Owner> owners;
    owners.reserve(threads_.threads().size());
    const bool tells_lives = !file_.has_cpus();
    std::uint32_t number = 0;
    for (const ChromeThreads::Thread& thread : threads_.threads()) {
      const bool lives = tells_lives && thread.any;
      owners.push_back({thread.pid, lives ? ThreadId{++number} : ThreadId::kNone,
                        thread.last - file_.found_.base});
    }
    slices_.finish(owners, sink_, info_.counters);
    asyncs_.finish(sink_, info_.counters);
    counters_.finish(info_.facts, info_.counters);
    for (std::size_t i = 0; i < owners.size(); ++i)
      if (owners[i].thread != ThreadId::kNone) tell_life(threads_.threads()[i], owners[i]);
  }

  void tell_life(const ChromeThreads::Thread& thread, const ChromeSlices::Owner& owner) {
    const ThreadInfo& info = info_.threads[thread.pid];
    ThreadLife life;
    life.thread = owner.thread;
    life.pid = thread.pid;
    life.process = info.process;
    life.name = info.name;
    life.begin = thread.first - file_.found_.base;
    life.end = thread.last - file_.found_.base;
    sink_.life(life);
  }

  void count() {
    const JsonWalk& walk = file_.found_.walk;
    info_.counters.add(Counter::kJsonRecordWithoutMeaning, file_.found_.unusable);
    info_.counters.add(Counter::kJsonRecordOfOtherShape, walk.other);
    info_.counters.add(Counter::kJsonRecordUnreadable, walk.damaged);
    info_.counters.add(Counter::kFileCut, walk.cut ? 1 : 0);
    info_.counters.add(Counter::kJsonTailUnreadable, file_.text_.tail_lost() ? 1 : 0);
    info_.counters.add(Counter::kChromeEventLeftOut, arcs_.size() + intervals_.size());
    if (walk.other + walk.damaged != 0)
      info_.facts.add(fact::kFirstBadByte, std::uint64_t{walk.first_bad});
  }

  const ChromeSpans& file_;
  NameTable& names_;
  SpanSink& sink_;
  TraceInfo info_;
  ChromeRows rows_;
  ChromeAsyncs asyncs_;
  ChromeSlices slices_;
  ChromeCounters counters_;
  ChromeThreads threads_;
  JsonTimeline timeline_;
  ChromeCalls calls_;
  std::vector<Span> waiting_;                           // rows of CPUs that are out of order
  std::unordered_map<Pid, std::vector<Span>> moments_;  // of threads, whose CPUs are not known yet
  std::unordered_map<std::string_view, Span> arcs_;     // that have begun, by number
  std::unordered_map<std::string_view, Span> intervals_;  // likewise
  std::map<CpuId, Span> frequencies_;                     // the last one of each CPU
  ChromeSlices functions_;                                // of threads whose CPUs are known
  std::vector<ChromeSlices::Owner> owners_;               // theirs
  std::unordered_map<Pid, std::size_t> owner_of_;
  std::unordered_map<NameId, NameId> labels_;  // of marks, by name
};

TraceInfo ChromeSpans::replay(NameTable& names, SpanSink& sink, const Counters& opened,
                              const std::function<void(double)>& progress) const {
  Replay replay(*this, names, sink, opened);
  std::uint64_t seen = 0;
  text_.walk([&](const ChromeEvent& event, std::size_t to) {
    replay.event(event);
    if (++seen % kEventsPerReport == 0 && progress)
      progress(static_cast<double>(to) / static_cast<double>(text_.size()));
  });
  return replay.finish();
}

}  // namespace kutrace::read
