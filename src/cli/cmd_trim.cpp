// SPDX-License-Identifier: BSD-3-Clause
// kutrace trim: the part of a trace that is asked for.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/number_list.h"
#include "cli/output_form.h"
#include "cli/progress.h"
#include "cli/raw_output.h"
#include "cli/replay.h"
#include "cli/span_output.h"
#include "cli/time_text.h"
#include "filters/families.h"
#include "filters/select.h"
#include "filters/survey.h"
#include "filters/trim_time.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Times are seconds after the start of the recording, or carry a unit: 1.5s, 20ms, 300us. Spans that
reach out of the window are cut at its edge, or kept whole with --whole. What --pid, --name and
--group leave out of a CPU's time is shown as "hidden", so that every nanosecond still adds up.
The output's name decides its form: .html a page, .kux a container, .json span JSON, .raw a raw trace
(one window, all threads), else text.

Examples:
  kutrace trim --from 1.2 --to 1.25 trace.raw -o slow.html
  kutrace trim --label reqst trace.raw -o requests.html    from mark "reqst" to mark "/reqst"
  kutrace trim --around late±5ms trace.raw -o late.html
  kutrace trim --pid 1234 --children trace.raw -o server.html
  kutrace trim --last 2s trace.raw -o end.raw
  kutrace trim --cpu 0-3 --group syscalls,faults trace.raw

Exit codes: 0 done; 2 usage; 3 input unusable, or nothing in it fits; 5 output cannot be written.)";

struct Options {
  std::string file;
  std::string from;
  std::string to;
  std::string first;
  std::string last;
  std::string label;
  std::string around;
  std::string cpus;
  std::string pids;
  std::string groups;
  std::vector<std::string> names;
  bool whole = false;
  bool children = false;
  SpanOutput::Options output;

  bool selects_time() const {
    return !from.empty() || !to.empty() || !first.empty() || !last.empty() || !label.empty() ||
           !around.empty();
  }
  bool selects_threads() const { return !pids.empty() || !names.empty(); }
};

class Trim {
 public:
  Trim(const Options& options, const read::TraceInput& input) : options_(options), input_(input) {}

  Status run() {
    KUTRACE_TRY(parse());
    if (needs_survey()) KUTRACE_TRY(survey());
    KUTRACE_TRY(choose_windows());
    KUTRACE_TRY(choose_threads());
    return writes_raw() ? write_raw_trace() : write();
  }

 private:
  bool writes_raw() const { return form_of_output(options_.output.path) == OutputForm::kRaw; }

  Status parse() {
    if (writes_raw() && !input_.is_raw()) return fail(spans_are_not_raw());
    if (writes_raw() && (options_.whole || options_.selects_threads() || !options_.groups.empty()))
      return fail(usage_error("a raw trace is cut by time and CPU alone")
                      .with_hint("name the output .json or .html"));
    if (!options_.cpus.empty()) {
      KUTRACE_ASSIGN(selection_.cpus, parse_number_list<CpuId>(options_.cpus));
    }
    if (!options_.pids.empty()) {
      KUTRACE_ASSIGN(pids_, parse_number_list<Pid>(options_.pids));
    }
    if (!options_.groups.empty()) {
      KUTRACE_ASSIGN(selection_.groups, filters::SpanGroups::parse(options_.groups));
    }
    if (!options_.around.empty()) {
      KUTRACE_ASSIGN(around_, parse_mark_margin(options_.around));
    }
    if (!options_.selects_time() && !options_.selects_threads() && selection_.everything()) {
      return fail(usage_error("nothing says what to keep")
                      .with_hint("kutrace trim --help lists the ways to say it"));
    }
    if (options_.children && options_.pids.empty() && options_.names.empty()) {
      return fail(usage_error("--children needs --pid or --name"));
    }
    if (options_.whole && !options_.selects_time()) {
      return fail(usage_error("--whole needs a window of time"));
    }
    return {};
  }

  bool needs_survey() const {
    return !options_.last.empty() || !options_.label.empty() || around_ ||
           options_.selects_threads() || selection_.cpus;
  }

  // A look at the whole trace for what must be known before the first span is passed on.
  Status survey() {
    filters::SurveyQuestions questions;
    questions.label = around_ ? around_->mark : options_.label;
    questions.thread_names = options_.names;
    questions.cpus = selection_.cpus;
    questions.pids = pids_;
    survey_.emplace(std::move(questions), names_);
    progress_.set_passes(2);
    KUTRACE_ASSIGN(surveyed_, replay(*survey_));
    progress_.next_pass();
    return {};
  }

  Result<TraceInfo> replay(SpanSink& sink) {
    return input_.replay(names_, sink, [this](double share) { progress_.show(share); });
  }

  Error nothing(std::string sentence) const {
    return input_error(std::move(sentence)).with_file(input_.name());
  }

  Status choose_windows() {
    if (!options_.selects_time()) return {};
    KUTRACE_ASSIGN(const Ns begin, input_.begin());
    // Without a survey the end is not known yet; what lies behind it is cut later.
    const Ns end = survey_ ? surveyed_.end : kForever;
    TimeWindow window{begin, end};
    std::vector<TimeWindow> windows;
    if (!options_.label.empty()) windows = survey_->labelled(end);
    if (around_) windows = survey_->around(around_->margin);
    if ((around_ || !options_.label.empty()) && windows.empty()) {
      return fail(
          nothing(fmt::format("has no mark '{}'", around_ ? around_->mark : options_.label))
              .with_hint("kutrace dump --stage spans FILE | grep ' mark ' lists the marks"));
    }
    if (!options_.from.empty()) {
      KUTRACE_ASSIGN(window.begin, parse_time(options_.from));
    }
    if (!options_.to.empty()) {
      KUTRACE_ASSIGN(window.end, parse_time(options_.to));
    }
    if (!options_.first.empty()) {
      KUTRACE_ASSIGN(const Ns length, parse_time(options_.first));
      window.end = begin + length;
    }
    if (!options_.last.empty()) {
      KUTRACE_ASSIGN(const Ns length, parse_time(options_.last));
      window.begin = end - length;
    }
    if (window.begin >= window.end) {
      return fail(usage_error("the window ends before it begins"));
    }
    if (windows.empty()) windows.push_back(window);
    windows_ = tidy_windows(std::move(windows), begin, end);
    if (windows_.empty()) {
      return fail(nothing("the window does not overlap the recording"));
    }
    return {};
  }

  Status choose_threads() {
    if (survey_ && selection_.cpus) {
      const auto wanted = [this](CpuId cpu) { return selection_.cpus->contains(cpu); };
      if (std::ranges::none_of(surveyed_.cpus, wanted)) {
        return fail(nothing(fmt::format("has no CPU {}", options_.cpus))
                        .with_hint("kutrace info FILE lists the CPUs"));
      }
      selection_.pids_of_cpus = survey_->ran_on_cpus();
    }
    if (!options_.selects_threads()) return {};
    std::unordered_set<Pid> wanted = survey_->named(surveyed_);
    if (!options_.names.empty() && wanted.empty()) {
      return fail(nothing(fmt::format("has no thread named '{}'", options_.names.front()))
                      .with_hint("kutrace profile --by threads FILE lists the threads"));
    }
    wanted.insert(pids_.begin(), pids_.end());
    if (!pids_.empty() && !survey_->has_any(surveyed_)) {
      return fail(nothing(fmt::format("has no thread or process {}", options_.pids))
                      .with_hint("kutrace profile --by threads FILE lists the threads"));
    }
    if (options_.children && !filters::knows_parents(surveyed_.threads)) {
      return fail(nothing("the trace does not say who is whose child")
                      .with_hint("traces by `kutrace record` do; give the pids or names instead"));
    }
    selection_.pids = filters::family_of(surveyed_.threads, wanted, options_.children);
    return {};
  }

  Status write() {
    std::optional<TimeWindow> reach;
    if (options_.whole) {
      filters::WholeReach whole(windows_);
      KUTRACE_TRY(replay(whole));
      if (!whole.reach()) return fail(nothing("the window does not overlap the recording"));
      reach = whole.reach();
    }
    KUTRACE_ASSIGN(const auto output, SpanOutput::create(options_.output, names_));
    std::optional<filters::Select> select;
    SpanSink* sink = &output->sink();
    if (!selection_.everything()) sink = &select.emplace(selection_, names_, *sink);
    std::optional<filters::TrimTime> trim;
    if (!windows_.empty()) sink = &trim.emplace(windows_, reach, names_, *sink);
    KUTRACE_ASSIGN(const TraceInfo info, replay(*sink));
    if (trim && info.begin >= info.end) {
      return fail(nothing(fmt::format(
          "the window begins at {:.9f} s, the recording ends at {:.9f} s",
          static_cast<double>(windows_.front().begin) / 1e9, static_cast<double>(info.end) / 1e9)));
    }
    warn_of_gaps(input_, info);
    return output->finish(info);
  }

  Status write_raw_trace() {
    if (windows_.size() > 1)
      return fail(usage_error(fmt::format("a raw trace has one window, not {}", windows_.size()))
                      .with_hint("--from and --to choose one of them"));
    const TimeWindow window = windows_.empty() ? TimeWindow{0, kForever} : windows_.front();
    const RawFile& raw = *input_.raw();
    const auto make = [&](const raw::RawOutput& output) {
      return raw::cut_raw(raw, window, selection_.cpus, output);
    };
    if (const auto written = write_raw_file(options_.output.path, raw.blocks().size(), make);
        !written)
      return fail(written.error());
    return {};
  }

  static constexpr Ns kForever = Ns{1} << 62;

  const Options& options_;
  const read::TraceInput& input_;
  NameTable names_;
  Progress progress_;
  filters::Selection selection_;
  std::unordered_set<Pid> pids_;
  std::optional<MarkMargin> around_;
  std::optional<filters::Survey> survey_;
  TraceInfo surveyed_;
  std::vector<TimeWindow> windows_;
};

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  KUTRACE_TRY(Trim(options, input).run());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_trim(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("trim", "Keep only the part that matters");
  command->footer(kFooter);
  command->add_option("file", options->file, "Trace: raw, span JSON or page; - is standard input")
      ->required();
  command->add_option("--from", options->from, "Begin of the window");
  command->add_option("--to", options->to, "End of the window");
  auto* first = command->add_option("--first", options->first, "The first so many seconds");
  auto* last = command->add_option("--last", options->last, "The last so many seconds");
  auto* label = command->add_option("--label", options->label,
                                    "From each mark with this label to the next mark /LABEL");
  auto* around = command->add_option("--around", options->around,
                                     "MARK±TIME: around each mark; ms without a unit");
  for (CLI::Option* option : {first, last, label, around}) {
    for (CLI::Option* other : {first, last, label, around}) {
      if (option != other) option->excludes(other);
    }
    option->excludes("--from")->excludes("--to");
  }
  command->add_flag("--whole", options->whole, "Keep spans whole that reach out of the window");
  command->add_option("--cpu", options->cpus, "Only these CPUs: 0-3,8");
  command->add_option("--pid", options->pids,
                      "Only these threads, and all threads of these "
                      "processes");
  command->add_flag("--children", options->children, "And the processes they started");
  command
      ->add_option("--name", options->names,
                   "Only threads that had this name; * and ? stand "
                   "for anything")
      ->allow_extra_args(false);
  command->add_option("--group", options->groups,
                      "Only these groups of events: syscalls irqs softirqs faults sched wakeups "
                      "power net samples marks user idle");
  add_output_options(*command, options->output)->capture_default_str();
  run_when_chosen(*command, invocation, options, run);
}

}  // namespace kutrace::cli
