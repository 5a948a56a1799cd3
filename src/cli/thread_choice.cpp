// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names to threads.
#include "cli/thread_choice.h"

#include <fmt/format.h>

#include <utility>

#include "cli/number_list.h"
#include "filters/families.h"

namespace kutrace::cli {

namespace {

Error no_thread(std::string sentence, const std::string& trace) {
  return input_error(std::move(sentence))
      .with_file(trace)
      .with_hint("kutrace profile --by threads FILE lists the threads");
}

// A number that was given, or that belongs to a chosen process, means whoever had it.
std::unordered_set<Pid> meant_by_name_alone(const std::unordered_set<Pid>& named,
                                            const std::unordered_set<Pid>& given,
                                            const std::map<Pid, ThreadInfo>& threads) {
  std::unordered_set<Pid> alone;
  for (const Pid pid : named) {
    const auto thread = threads.find(pid);
    const Pid process = thread == threads.end() ? pid : thread->second.process;
    const bool of_chosen = process != pid && (named.contains(process) || given.contains(process));
    if (!given.contains(pid) && !of_chosen) alone.insert(pid);
  }
  return alone;
}

}  // namespace

Result<ThreadChoice> ThreadChoice::parse(const ThreadOptions& options) {
  ThreadChoice choice(options);
  if (options.children && !options.any()) {
    return fail(usage_error("--children needs --pid or --name"));
  }
  if (!options.pids.empty()) {
    KUTRACE_ASSIGN(choice.pids_, parse_number_list<Pid>(options.pids));
  }
  return choice;
}

void ThreadChoice::ask(filters::SurveyQuestions& questions) const {
  questions.thread_names = options_.names;
  questions.pids = pids_;
}

Result<filters::ChosenThreads> ThreadChoice::choose(filters::Survey& survey, const TraceInfo& info,
                                                    const std::string& trace) const {
  const std::unordered_set<Pid> named = survey.named(info);
  if (!options_.names.empty() && named.empty()) {
    return fail(no_thread(fmt::format("has no thread named '{}'", options_.names.front()), trace));
  }
  if (!pids_.empty() && !survey.has_any(info)) {
    return fail(no_thread(fmt::format("has no thread or process {}", options_.pids), trace));
  }
  if (options_.children && !filters::knows_parents(info.threads)) {
    return fail(input_error("the trace does not say who is whose child")
                    .with_file(trace)
                    .with_hint("traces by `kutrace record` do; give the pids or names instead"));
  }
  std::unordered_set<Pid> wanted = named;
  wanted.insert(pids_.begin(), pids_.end());
  return filters::ChosenThreads{
      filters::family_of(info.threads, wanted, options_.children),
      survey.never_named(meant_by_name_alone(named, pids_, info.threads))};
}

}  // namespace kutrace::cli
