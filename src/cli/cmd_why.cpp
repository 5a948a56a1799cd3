// SPDX-License-Identifier: BSD-3-Clause
// kutrace why: what an interval of a thread passed with, or what the slowest of many have that the
// others do not; without a question, what is odd.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/counted.h"
#include "base/number_text.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/nothing_found.h"
#include "cli/odd.h"
#include "cli/page_report.h"
#include "cli/question.h"
#include "cli/replay.h"
#include "cli/selection.h"
#include "cli/table_output.h"
#include "emit/page/page_view.h"
#include "emit/text/wait_words.h"
#include "emit/text/why_text.h"
#include "filters/part.h"
#include "model/rpc_names.h"
#include "read/trace/trace_input.h"
#include "reports/comparison.h"
#include "reports/slowest.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Without a question: what is odd in the trace, most costly first, each with its cost, the command
that shows it and its place in the page. --list prints what is looked for.
With a question, follows the critical path back from the end of the slowest such interval. While the
thread executed, that is the cause; while it was ready, whoever had its CPU; while it was blocked,
what its waker did meanwhile, including the waker's own waits. An interrupt (timer, disk, network)
ends the path. The causes add up to the interval's time, exactly.
--slowest 10 or 1% compares the longest ones with up to 1,000 of the others.

Examples:
  kutrace why trace.raw
  kutrace why --call fsync trace.raw
  kutrace why --request recvfrom..sendto --slowest 1% --name redis-server trace.raw
  kutrace why --at 1234@1.5s trace.raw
  kutrace why --call fsync trace.raw -o fsync.html

Exit codes: 0 done; 1 something is odd (without a question); 2 usage; 3 input unusable, or nothing
matches; 5 output cannot be written.)";

struct Options {
  std::string file;
  QuestionOptions question;
  std::string slowest = "1";
  bool list = false;
  std::size_t top = 20;
  TableOptions table;
  WidthOptions width;
  SelectionOptions part;
};

// "10" or "1%".
Result<reports::Slowest> slowest_of(const std::string& text) {
  if (text.ends_with('%')) {
    const auto percent = parse_number<double>(std::string_view(text).substr(0, text.size() - 1));
    if (percent && *percent > 0 && *percent <= 100) return reports::Slowest::share(*percent);
  } else if (const auto number = parse_number<std::uint32_t>(text); number && *number > 0) {
    return reports::Slowest::number(*number);
  }
  return fail(usage_error("--slowest " + text + " is neither a number nor a share")
                  .with_hint("write for example 10 or 1%"));
}

class Why {
 public:
  Why(const Options& options, const read::TraceInput& input, reports::Question question,
      reports::Slowest chosen)
      : options_(options),
        input_(input),
        question_(std::move(question)),
        part_(options.part, input, names_),
        chosen_(std::move(chosen)) {}

  Status run() {
    KUTRACE_TRY(part_.choose(2));
    KUTRACE_TRY(find());
    if (options_.table.is_page()) return write_page();
    return is_one() ? explain_one() : compare_many();
  }

 private:
  bool is_one() const { return chosen_.slowest().size() == 1; }

  Status find() {
    FoundOf of;
    const auto found = [this, &of](const reports::Interval& interval) {
      ++of.all;
      if (part_.wants(interval)) chosen_.add(interval);
    };
    const auto cut = [this, &of](const reports::Interval& interval) {
      ++of.all;
      if (part_.wants(interval)) ++of.cut;
    };
    reports::IntervalFinder finder(question_, names_, found, cut);
    KUTRACE_ASSIGN(const TraceInfo info, part_.replay_whole(finder));
    warn_of_gaps(input_, info);
    warn_of_unrecorded(input_, info);
    tell_of_throttling(input_, info);
    chosen_.finish();
    tell_of_most();
    if (chosen_.count() == 0) return fail(nothing(finder, of, info));
    if (of.cut != 0) {
      log_info("{}: begin or return is not in the trace, so left out; --at asks about one",
               counted(of.cut, "call", "calls"));
    }
    return {};
  }

  void tell_of_most() const {
    const std::uint64_t asked = std::min(chosen_.wanted(), chosen_.count());
    if (asked <= chosen_.slowest().size()) return;
    log_info("{} are asked for; the slowest {} of them are looked at, the rest are others",
             grouped(asked), grouped(chosen_.slowest().size()));
  }

  Error nothing(const reports::IntervalFinder& finder, const FoundOf& of,
                const TraceInfo& info) const {
    Error error = nothing_found(question_, finder, of, part_, input_);
    if (question_.asked != reports::Asked::kMoment || of.all != 0) return error;
    return std::move(error).with_hint(
        fmt::format("the thread was in no call and did not wait then, or is not in the trace, "
                    "which ends at {:.9f} s",
                    static_cast<double>(info.end) / 1e9));
  }

  // The whole trace, opened at the slowest of the intervals; where many were asked for, beside the
  // list of them. What a part chose among them a page does not know.
  Status write_page() const {
    const reports::Interval& slowest = chosen_.slowest().front();
    emit::PageView view{.begin = slowest.begin, .end = slowest.end};
    view.why = {slowest.pid, slowest.begin, slowest.end, what(slowest)};
    if (!is_one() && !options_.part.any()) view.asks = asked_in_page();
    return write_page_of(input_,
                         {.output = options_.table.output, .saved = emit::saved_view(view)});
  }

  // "request read..write"
  std::string asked_in_page() const {
    std::string words = name_of(question_);
    if (question_.asked == reports::Asked::kRpc) words.replace(0, 3, "rpc");
    const bool is_known =
        question_.asked != reports::Asked::kMoment && question_.asked != reports::Asked::kFunction;
    return is_known ? words : std::string();
  }

  Status explain_one() {
    const reports::Interval& interval = chosen_.slowest().front();
    reports::Happenings happenings({{interval.begin, interval.end}}, names_);
    KUTRACE_ASSIGN(const TraceInfo info, part_.replay_whole(happenings));
    reports::CriticalPath path(happenings);
    const auto explained = reports::explain(interval, happenings, path);
    const emit::CauseText text(happenings, names_, info.facts);
    KUTRACE_TRY(write_lines(options_.table.output, [&](const emit::LineSink& line) {
      return write_one(explained, text, line);
    }));
    tell_of_cut(std::max(number_executed(explained.causes), explained.path.size()));
    return {};
  }

  Status compare_many() {
    reports::ComparisonSink sink(chosen_.slowest(), chosen_.others(), names_);
    KUTRACE_ASSIGN(const TraceInfo info, part_.replay_whole(sink));
    const auto comparison = sink.comparison();
    const emit::CauseText text(sink.happenings(), names_, info.facts);
    KUTRACE_TRY(write_lines(options_.table.output, [&](const emit::LineSink& line) {
      return write_many(comparison, text, line);
    }));
    tell_of_cut(number_executed(comparison.causes));
    return {};
  }

  static std::size_t number_executed(const auto& causes) {
    return static_cast<std::size_t>(std::ranges::count_if(
        causes, [](const auto& each) { return !reports::is_wait(each.cause.kind); }));
  }

  // Who asks for a number of rows knows.
  void tell_of_cut(std::size_t rows) const {
    const bool cuts = options_.table.form() == TableForm::kTable && rows > options_.top;
    if (cuts && options_.top == Options().top) log_info("--top 0 lists all causes and steps");
  }

  Status write_one(const reports::Explained& explained, const emit::CauseText& text,
                   const emit::LineSink& line) const {
    const emit::WhyHead head{what(explained.interval), chosen_.count(), options_.top, width()};
    const TableForm form = options_.table.form();
    if (form == TableForm::kJson) {
      line(emit::why_json(explained, head, text));
    } else if (form == TableForm::kCsv) {
      emit::why_path_csv(explained, text, line);
    } else {
      emit::why_story(explained, head, text, line);
    }
    return {};
  }

  Status write_many(const reports::Comparison& comparison, const emit::CauseText& text,
                    const emit::LineSink& line) const {
    const emit::WhyHead head{name_of(question_), chosen_.count(), options_.top, width()};
    const TableForm form = options_.table.form();
    if (form == TableForm::kJson) {
      line(emit::why_comparison_json(comparison, head, text));
    } else if (form == TableForm::kCsv) {
      emit::why_comparison_csv(comparison, text, line);
    } else {
      emit::why_comparison(comparison, chosen_.slowest(), head, text, line);
    }
    return {};
  }

  std::size_t width() const { return table_width(options_.table, options_.width); }

  // A pattern fits many calls; this is one.
  std::string what(const reports::Interval& interval) const {
    if (interval.wait != 0) return fmt::format("wait for {}", emit::waited_for(interval.wait));
    if (question_.asked == reports::Asked::kFunction)
      return "function " + names_.text(interval.name);
    if (question_.asked == reports::Asked::kRpc)
      return "RPC " + method_of(names_.text(interval.name));
    const bool is_call =
        question_.asked == reports::Asked::kCall || question_.asked == reports::Asked::kMoment;
    return is_call ? "call " + names_.text(interval.name) : name_of(question_);
  }

  const Options& options_;
  const read::TraceInput& input_;
  reports::Question question_;
  NameTable names_;
  TraceSelection part_;
  reports::Slowest chosen_;
};

Result<int> run(const Options& options) {
  if (options.list) return list_detectors(options.table);
  if (options.file.empty()) return fail(usage_error("file is required"));
  KUTRACE_ASSIGN(const auto question, question_of(options.question));
  KUTRACE_ASSIGN(reports::Slowest chosen, slowest_of(options.slowest));
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  const bool is_slowest = options.slowest != Options().slowest;
  if (!question && (is_slowest || options.top != Options().top)) {
    return fail(usage_error(fmt::format("{} is given, but nothing is asked",
                                        is_slowest ? "--slowest" : "--top"))
                    .with_hint("--call, --mark, --rpc, --request or --at says about what"));
  }
  if (!question)
    return say_what_is_odd(input, options.file, options.part, options.table,
                           table_width(options.table, options.width));
  KUTRACE_TRY(Why(options, input, *question, std::move(chosen)).run());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_why(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command(
      "why", "Explain why a call, mark or request took so long, or what is odd");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace: raw, or a page of one; - is standard input");
  add_question_options(command, options->question);
  command
      .add_option("--slowest", options->slowest,
                  "N or N% of the longest; more than one are compared with the others")
      .shows_default();
  command
      .add_option("--top", options->top,
                  "steps of a table, and causes that are no waits; the rest is summed up; 0: all")
      .at_least(0)
      .shows_default();
  command.add_flag("--list", options->list, "list what is looked for without a question");
  add_selection_options(command, options->part);
  add_width_options(command, options->width);
  add_table_options(command, options->table, Pages::kWritten);
  command.runs(options, run);
}

}  // namespace kutrace::cli
