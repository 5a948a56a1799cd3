// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names to threads.
#include "cli/thread_choice.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/text.h"
#include "cli/next_command.h"
#include "cli/number_list.h"

namespace kutrace::cli {

namespace {

Error no_thread(std::string sentence, const std::string& trace) {
  return input_error(std::move(sentence))
      .with_file(trace)
      .with_hint(about_file("kutrace profile --by threads FILE lists the threads", trace));
}

}  // namespace

Result<ThreadChoice> ThreadChoice::parse(const ThreadOptions& options) {
  ThreadChoice choice(options);
  if (options.children && !options.any()) {
    return fail(usage_error("--children needs --pid, --name or --cgroup"));
  }
  if (!options.pids.empty()) {
    KUTRACE_ASSIGN(choice.pids_, parse_number_list<Pid>(options.pids));
  }
  return choice;
}

void ThreadChoice::ask(filters::SurveyQuestions& questions) const {
  questions.thread_names = options_.names;
  questions.pids = pids_;
  questions.cgroups = options_.cgroups;
}

Result<filters::ChosenThreads> ThreadChoice::choose(filters::Survey& survey,
                                                    const std::string& trace,
                                                    const filters::GroupPieces* pieces) const {
  if (!options_.names.empty() && !survey.has_named()) {
    return fail(no_thread(fmt::format("has no thread named '{}'", options_.names.front()), trace));
  }
  if (!pids_.empty() && !survey.has_any()) {
    return fail(no_thread(fmt::format("has no thread or process {}", options_.pids), trace));
  }
  if (options_.children && !survey.knows_parents()) {
    return fail(input_error("the trace does not say who is whose child")
                    .with_file(trace)
                    .with_hint("traces by `kutrace record` do; give the pids or names instead"));
  }
  if (!options_.cgroups.empty() && !survey.knows_cgroups()) {
    return fail(input_error("the trace does not say which control groups processes are in")
                    .with_file(trace)
                    .with_hint("traces by `kutrace record` do; give --pid or --name instead"));
  }
  filters::ChosenThreads chosen = survey.chosen(options_.children, pieces);
  if (chosen.count() == 0) return fail(none_in_groups(survey, trace));
  return chosen;
}

Error ThreadChoice::none_in_groups(const filters::Survey& survey, const std::string& trace) const {
  const std::string& asked = options_.cgroups.front();
  const Error error =
      input_error(fmt::format("has no process in a control group '{}'", asked)).with_file(trace);
  const std::set<std::string> moved = survey.groups_of_moved();
  if (moved.empty())
    return Error(error).with_hint(
        about_file("kutrace stat --by cgroup FILE lists the control groups", trace));
  return Error(error).with_hint(
      fmt::format("there were some, but they moved while they were recorded, and count for the "
                  "last group: --cgroup {}",
                  printable(*moved.begin())));
}

}  // namespace kutrace::cli
