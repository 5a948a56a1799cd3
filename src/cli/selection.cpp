// SPDX-License-Identifier: BSD-3-Clause
// Words to windows, threads and CPUs.
#include "cli/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/apart.h"
#include "cli/asked_window.h"
#include "cli/moved_processes.h"
#include "cli/next_command.h"
#include "cli/number_list.h"
#include "filters/part.h"
#include "filters/split_at_moves.h"

namespace kutrace::cli {

void add_selection_options(const Command& command, SelectionOptions& options) {
  command.add_option("--from", options.from, "begin of the window");
  command.add_option("--to", options.to, "end of the window");
  const Option first =
      command.add_option("--first", options.first, "the first part, of this length: 100ms");
  const Option last =
      command.add_option("--last", options.last, "the last part, of this length: 2s");
  const Option label =
      command.add_option("--label", options.label, "from each mark LABEL to the next mark /LABEL");
  const Option around = command.add_option(
      "--around", options.around, "MARK±TIME: this much time around each mark; default unit ms");
  exclude_each_other({first, last, label, around});
  for (const Option option : {first, last, label, around}) {
    option.excludes("--from").excludes("--to");
  }
  command.add_option("--cpu", options.cpus,
                     "only what ran on these CPUs, and waits of threads that did: 0-3,8");
  command.add_option("--pid", options.threads.pids,
                     "only these threads, and all threads of these processes");
  command.add_flag("--children", options.threads.children, "also the processes they started");
  command
      .add_option("--name", options.threads.names,
                  "only threads that had this name; * and ? match anything")
      .one_each_time();
  command
      .add_option("--cgroup", options.threads.cgroups,
                  "only processes in this control group, container or pod; * and ?")
      .one_each_time();
}

Status TraceSelection::choose(unsigned passes) {
  KUTRACE_ASSIGN(threads_, ThreadChoice::parse(options_.threads));
  if (!options_.threads.cgroups.empty()) tell_moved();
  asks_for_moves_ = tells_moved_ && input_.tells_lives() && input_.tells_moves();
  if (!options_.cpus.empty()) {
    KUTRACE_ASSIGN(part_.cpus, parse_number_list<CpuId>(options_.cpus));
  }
  if (!options_.around.empty()) {
    KUTRACE_ASSIGN(around_, parse_mark_margin(options_.around));
    if (around_->margin == 0) return fail(empty_window());
  }
  progress_.set_passes(passes + (needs_survey() ? 1 : 0));
  if (needs_survey()) KUTRACE_TRY(survey());
  if (options_.any_time()) KUTRACE_TRY(choose_windows());
  if (part_.cpus) KUTRACE_TRY(choose_cpus());
  if (!options_.threads.any()) return {};
  KUTRACE_ASSIGN(part_.threads,
                 threads_->choose(*survey_, input_.name(), pieces_ ? &*pieces_ : nullptr));
  return {};
}

bool TraceSelection::needs_survey() const {
  return !options_.last.empty() || !options_.label.empty() || around_ || options_.threads.any() ||
         part_.cpus || asks_for_moves_;
}

Status TraceSelection::survey() {
  filters::SurveyQuestions questions;
  questions.label = around_ ? around_->mark : options_.label;
  questions.cpus = part_.cpus;
  questions.moves = asks_for_moves_;
  threads_->ask(questions);
  survey_.emplace(std::move(questions), names_);
  KUTRACE_ASSIGN(surveyed_, replay_whole(*survey_));
  if (asks_for_moves_) pieces_.emplace(survey_->pieces());
  return {};
}

Error TraceSelection::nothing(std::string sentence) const {
  return input_error(std::move(sentence)).with_file(input_.name());
}

Status TraceSelection::choose_windows() {
  KUTRACE_ASSIGN(const Ns begin, input_.begin());
  // Without a survey the end is not known yet; what lies behind it is cut later.
  const Ns end = survey_ ? surveyed_.end : kForever;
  std::vector<TimeWindow> windows;
  if (!options_.label.empty()) windows = survey_->labelled(end);
  if (around_) windows = survey_->around(around_->margin);
  if ((around_ || !options_.label.empty()) && windows.empty()) {
    return fail(nothing(fmt::format("has no mark '{}'", around_ ? around_->mark : options_.label))
                    .with_hint(lists_marks(input_.name())));
  }
  if (windows.empty()) {
    KUTRACE_ASSIGN(const TimeWindow window, one_window({begin, end}));
    windows.push_back(window);
  }
  windows_ = tidy_windows(std::move(windows), begin, end);
  // Marks lie in the recording.
  if (windows_.empty()) return fail(nothing("the window is empty"));
  // The recording's last moment is in it.
  if (windows_.back().end == end) windows_.back().end = kForever;
  return {};
}

// One that no mark tells.
Result<TimeWindow> TraceSelection::one_window(TimeWindow recording) const {
  KUTRACE_ASSIGN(TimeWindow window, asked_window(options_.from, options_.to));
  if (!options_.first.empty()) {
    KUTRACE_ASSIGN(const Ns length, parse_time(options_.first));
    window = {recording.begin, recording.begin + length};
  }
  if (!options_.last.empty()) {
    KUTRACE_ASSIGN(const Ns length, parse_time(options_.last));
    window = {recording.end - length, recording.end};
  }
  if (window.begin == window.end) return fail(empty_window());
  if (std::string why = why_apart(window, recording); !why.empty())
    return fail(nothing(std::move(why)).with_hint(kTimesCount));
  return window;
}

Status TraceSelection::choose_cpus() {
  if (std::ranges::none_of(surveyed_.cpus, [this](CpuId cpu) { return part_.wants_cpu(cpu); })) {
    return fail(nothing(fmt::format("has no CPU {}", options_.cpus))
                    .with_hint(about_file("kutrace info FILE lists the CPUs", input_.name())));
  }
  part_.threads_of_cpus = survey_->ran_on_cpus();
  return {};
}

std::vector<TimeWindow> TraceSelection::windows_in(const TraceInfo& info) const {
  if (windows_.empty()) return {{info.begin, info.end}};
  return tidy_windows(windows_, info.begin, info.end);
}

bool TraceSelection::wants(const Call& call) const {
  return filters::has_call(windows_, part_, call);
}

bool TraceSelection::wants(const reports::Interval& interval) const {
  return lies_in(windows_, interval.begin) && part_.wants_thread(interval.pid, interval.thread) &&
         (interval.cpu == kNoCpu || part_.wants_cpu(interval.cpu));
}

std::vector<TimeWindow> TraceSelection::windows_or_whole() const {
  return windows_.empty() ? std::vector<TimeWindow>{{-kForever, kForever}} : windows_;
}

bool TraceSelection::wants_wait_of(Pid pid, ThreadId thread) const {
  return part_.wants_thread(pid, thread) && part_.ran_on_cpus(pid, thread);
}

std::string TraceSelection::none_chosen(const std::string& all) const {
  std::string text = all + " in the trace, none";
  if (options_.threads.any()) text += " of these threads";
  if (!options_.cpus.empty()) text += " on these CPUs";
  if (options_.any_time()) text += windows_.size() > 1 ? " in these windows" : " in this window";
  return text;
}

Result<TraceInfo> TraceSelection::replay(SpanSink& sink, filters::Part::Use use) {
  filters::Part part(windows_, part_, names_, sink, use);
  return replay_whole(part);
}

Result<TraceInfo> TraceSelection::replay_whole(SpanSink& sink) {
  if (std::exchange(read_, true)) progress_.next_pass();
  std::optional<MovedProcesses> moved;
  SpanSink* head = &sink;
  if (std::exchange(tells_moved_, false)) head = &moved.emplace(input_.name(), names_, sink);
  KUTRACE_ASSIGN(TraceInfo info, replay_pieces(*head));
  KUTRACE_TRY(check_overlap(info));
  return info;
}

Result<TraceInfo> TraceSelection::replay_pieces(SpanSink& sink) {
  const auto show = [this](double share) { progress_.show(share); };
  if (!pieces_ || !pieces_->any()) return input_.replay(names_, sink, show);
  filters::SplitAtMoves split(*pieces_, sink);
  return input_.replay(names_, split, show);
}

// `info`: of all of the trace, or of what the windows cut out of it.
Status TraceSelection::check_overlap(const TraceInfo& info) const {
  if (windows_.empty() || overlaps(windows_, info.begin, info.end)) return {};
  return fail(
      nothing(why_apart({windows_.front().begin, windows_.back().end}, {info.begin, info.end}))
          .with_hint(kTimesCount));
}

}  // namespace kutrace::cli
