// SPDX-License-Identifier: BSD-3-Clause
// kutrace count: counts in the kernel, without a trace, while a command runs or until Ctrl-C.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/counted.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/recording.h"
#include "cli/table_output.h"
#include "cli/time_text.h"
#include "count/parser.h"
#include "emit/text/count_text.h"
#include "files/output_place.h"
#include "record/blocks/clock.h"
#include "record/count/counter.h"
#include "record/run/child.h"
#include "record/run/stop_signal.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
A question is  PROBE [, by KEY, KEY...] [, AGGREGATE(MEASURE)...] [, where CONDITION]

Probes: syscall:NAME (* and a|b are names, too), counted when it returns; sched:switch;
  sched:wakeup; sched:off-cpu and sched:run-queue, which last; irq:NAME; softirq:NAME; fault:user;
  fault:kernel; tracepoint:GROUP:NAME.
Keys: name comm pid process tid thread cpu error result arg0..arg5 kstack ustack; none: one row.
Measures: duration; of calls result, bytes (the result, unless it failed), arg0..arg5.
Aggregates: count (the default), sum, min, max, avg, stddev, quantize (by powers of two),
  lquantize(MEASURE, LEAST, MOST, STEP).
Conditions: comparisons (== != < <= > >=) of keys and measures, && || ! and parentheses; a word on
  its own means "not 0". error == ENOENT, duration > 1ms, bytes >= 64k, comm == "ngi*".

Examples:
  kutrace count 'syscall:*, by comm' --for 5s            who calls the kernel most
  kutrace count 'syscall:*, by name, error' --where error    which calls fail, until Ctrl-C
  kutrace count 'syscall:read, by comm' --hist duration -- ./server --once
  kutrace count 'syscall:read|write, by process, sum(bytes), avg(bytes)' --every 1s
  kutrace count 'sched:off-cpu, by kstack, sum(duration), where comm == postgres && name == blocked'

Counts the whole machine, unless --only-command. Events that could not be counted are reported. With
the result on standard output, the output of the command goes to standard error. Exit codes: that of
the command; else 0 done; 2 usage; 4 this machine cannot; 5 output; 126, 127 the command cannot run.)";

constexpr Ns kPollNs = 100'000'000;

struct Options {
  std::string question;
  std::vector<std::string> where;
  std::vector<std::string> histograms;
  std::string every;
  std::string length;
  bool cumulative = false;
  bool only_command = false;
  std::uint32_t top = 0;
  std::uint32_t keys = 4096;
  TableOptions table;
  std::vector<std::string> command;
};

Result<count::Question> question_from(const Options& options) {
  KUTRACE_ASSIGN(count::Question question, count::parse_question(options.question));
  for (const std::string& measure : options.histograms)
    KUTRACE_TRY(count::add_histogram(question, measure));
  for (const std::string& condition : options.where)
    KUTRACE_TRY(count::add_where(question, condition));
  count::complete(question);
  return question;
}

// The question with what options added to it.
std::string asked_text(const Options& options) {
  std::string text = options.question;
  for (const std::string& measure : options.histograms) text += ", quantize(" + measure + ")";
  for (const std::string& condition : options.where) text += ", where " + condition;
  return text;
}

Result<Ns> time_option(const char* name, const std::string& text) {
  if (text.empty()) return 0;
  KUTRACE_ASSIGN(const Ns time, parse_time(text));
  if (time == 0) return fail(usage_error(fmt::format("{}: no time at all", name)));
  return time;
}

void tell_missed(const count::Question& question, const count::Missed& missed) {
  const count::ProbeInfo& probe = count::info(question.probe);
  const auto tell = [&probe](std::uint64_t number, const char* why) {
    if (number != 0) log_warn("{} {}", counted(number, probe.one, probe.many), why);
  };
  tell(missed.no_room, "had a key for which there was no room: --keys gives more, or ask for less");
  tell(missed.no_begin,
       question.probe == count::Probe::kSyscall
           ? "not counted, as their begin was not seen: most began before the counting, or were "
             "rejected by seccomp or a tracer"
           : "not counted, as their begin was not seen: most began before the counting");
  tell(missed.too_many, "began while too many others lasted; not counted");
  tell(missed.stacks, "counted without their stack: there were too many different ones");
  tell(missed.skipped, "skipped by the kernel, as they came while one of them was being counted");
  if (missed.children != 0)
    log_warn("{} not counted: too many", counted(missed.children, "process of the command was",
                                                 "processes of the command were"));
}

// Those that are not shown.
void tell_large_sums(const count::Question& question, const count::Answer& answer) {
  std::uint64_t large = 0;
  for (const count::Row& row : answer.rows)
    for (std::size_t i = 0; i < row.sums.size(); ++i)
      if (question.aggregates[i].kind == count::AggregateKind::kSum && !row.sums[i].has_sum())
        ++large;
  if (large != 0)
    log_warn("{} more than 64 bits, and {} not shown", counted(large, "sum needs", "sums need"),
             large == 1 ? "is" : "are");
}

class Course {
 public:
  Course(const Options& options, count::Question question)
      : options_(options), question_(std::move(question)), asked_(asked_text(options)) {}

  Result<int> run() {
    KUTRACE_TRY(times());
    record::CounterOptions wanted;
    wanted.most_keys = options_.keys;
    wanted.by_interval = every_ != 0;
    wanted.descendants = options_.only_command;
    const record::StopSignal signals;
    KUTRACE_ASSIGN(counter_, record::open_counter(question_, wanted));
    counter_->start();
    begin_ = now();
    int code = 0;
    KUTRACE_ASSIGN(const bool runs, start_command(code));
    if (!runs) return code;
    KUTRACE_TRY(watch());
    counter_->stop();
    KUTRACE_ASSIGN(const count::Answer last, counter_->take());
    KUTRACE_TRY(end_with(last));
    std::optional<record::PassOnSignals> passing_on;
    if (child_) passing_on.emplace(child_->fd());
    record::StopSignal::nothing_to_lose();
    counter_.reset();
    // A limit ends the counting, not the command.
    return child_ ? child_->wait_status() : static_cast<int>(ExitCode::kDone);
  }

 private:
  static Ns now() { return static_cast<Ns>(record::kMonotonicRate.ns(record::monotonic_ticks())); }

  Status times() {
    KUTRACE_ASSIGN(every_, time_option("--every", options_.every));
    constexpr Ns kLeastInterval = 10'000'000;
    if (every_ != 0 && every_ < kLeastInterval) return fail(usage_error("--every: at least 10ms"));
    KUTRACE_ASSIGN(length_, time_option("--for", options_.length));
    if (options_.cumulative && every_ == 0)
      return fail(usage_error("--cumulative is about what --every shows").with_hint("--every 1s"));
    if (options_.only_command && options_.command.empty())
      return fail(usage_error("--only-command: there is no command")
                      .with_hint("kutrace count QUESTION --only-command -- COMMAND"));
    return {};
  }

  // False: it cannot be run, and this has been said.
  Result<bool> start_command(int& code) {
    if (options_.command.empty()) return true;
    const bool to_stderr = files::is_standard_output(options_.table.output);
    auto child = record::Child::start(options_.command, to_stderr, code);
    if (!child) {
      log_error("{}", describe(child.error()));
      return false;
    }
    child_.emplace(std::move(*child));
    return true;
  }

  bool has_ended() {
    if (record::StopSignal::received() != 0) return true;
    if (length_ != 0 && now() - begin_ >= length_) return true;
    return child_ && child_->poll_status().has_value();
  }

  void pause(Ns until) const {
    Ns wait = std::min(kPollNs, until - now());
    if (length_ != 0) wait = std::min(wait, begin_ + length_ - now());
    pollfd watched{child_ ? child_->fd() : -1, POLLIN, 0};
    constexpr Ns kMs = 1'000'000;
    poll(&watched, 1, static_cast<int>(std::max<Ns>(0, (wait + kMs - 1) / kMs)));
  }

  Status watch() {
    Ns next = begin_ + every_;
    while (!has_ended()) {
      counter_->poll();
      if (every_ == 0) {
        pause(now() + kPollNs);
        continue;
      }
      pause(next);
      if (now() < next || has_ended()) continue;
      next += every_;
      KUTRACE_ASSIGN(const count::Answer answer, counter_->take());
      add(answer);
      KUTRACE_TRY(options_.cumulative ? show(all_, emit::CountSpan::kAll)
                                      : show(answer, emit::CountSpan::kInterval));
    }
    return {};
  }

  void add(const count::Answer& answer) {
    all_.end = answer.end;
    all_.missed.add(answer.missed);
    std::ranges::copy(answer.rows, std::back_inserter(all_.rows));
    count::settle(question_, all_.rows);
  }

  // What is left, and all of it.
  Status end_with(const count::Answer& last) {
    add(last);
    if (every_ != 0 && !options_.cumulative) KUTRACE_TRY(show(last, emit::CountSpan::kInterval));
    KUTRACE_TRY(show(all_, emit::CountSpan::kAll));
    if (lines_) KUTRACE_TRY(finish_file());
    tell_missed(question_, all_.missed);
    tell_large_sums(question_, all_);
    return {};
  }

  Status finish_file() {
    return write_lines(options_.table.output, [this](const TakeLine& line) -> Status {
      line(std::string_view(*lines_).substr(0, lines_->size() - 1));
      return {};
    });
  }

  std::string text_of(const count::Answer& answer, emit::CountSpan span) {
    std::string text;
    const auto line = [&text](std::string_view one) {
      text += one;
      text += '\n';
    };
    switch (options_.table.form()) {
      case TableForm::kTable:
        if (every_ != 0 && span == emit::CountSpan::kAll && !options_.cumulative)
          line("all of it,");
        emit::count_table(question_, answer, options_.top, line);
        if (every_ != 0) line("");
        break;
      case TableForm::kCsv:
        if (!has_head_) line(emit::count_csv_head(question_));
        has_head_ = true;
        emit::count_csv(question_, answer, span, options_.top, line);
        break;
      case TableForm::kJson:
        line(emit::count_json(question_, asked_, answer, span, options_.top));
        break;
    }
    return text;
  }

  // At once, where it goes to standard output; a file appears at the end, whole.
  Status show(const count::Answer& answer, emit::CountSpan span) {
    const std::string text = text_of(answer, span);
    if (options_.table.output != "-") {
      if (!lines_) lines_.emplace();
      *lines_ += text;
      return {};
    }
    StandardOutput out;
    out.write(text);
    return out.finish();
  }

  const Options& options_;
  const count::Question question_;
  const std::string asked_;
  Ns every_ = 0;
  Ns length_ = 0;
  Ns begin_ = 0;
  std::unique_ptr<record::Counter> counter_;
  std::optional<record::Child> child_;
  count::Answer all_;
  std::optional<std::string> lines_;  // of a file
  bool has_head_ = false;
};

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(count::Question question, question_from(options));
  if (options.command.empty() && ends_in_separator())
    return fail(usage_error("there is no command after --")
                    .with_hint("without --, it counts until Ctrl-C"));
  int code = 0;
  if (!options.command.empty()) {
    if (const Status found = record::find_command(options.command.front(), code); !found) {
      log_error("{}", describe(found.error()));
      return code;
    }
  }
  return Course(options, std::move(question)).run();
}

}  // namespace

void add_count(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("count", "Count in the kernel, without a trace: how often, how long");
  command.footer(kFooter);
  command.add_option("question", options->question, "what to count, in quotes").required();
  command.add_option("--where", options->where, "only events for which this holds; may be repeated")
      .one_each_time();
  command
      .add_option("--hist", options->histograms,
                  "distribution of this measure by powers of two: duration, bytes, ...")
      .one_each_time();
  command.add_option("--for", options->length,
                     "stop after this time: 5, 500ms, 10s; default unit s");
  command.add_option("--every", options->every, "show the counts of each interval of this length");
  command.add_flag("--cumulative", options->cumulative, "with --every: totals since the start");
  command.add_flag("--only-command", options->only_command,
                   "only what the command and its descendants do");
  command.add_option("--top", options->top, "number of rows; 0: all").at_least(0).shows_default();
  command.add_option("--keys", options->keys, "maximum number of rows in the kernel")
      .between(1, 1 << 20)
      .shows_default();
  add_table_options(command, options->table);
  command.add_option("command", options->command, "command and its arguments, after --");
  command.runs(options, run);
}

}  // namespace kutrace::cli
