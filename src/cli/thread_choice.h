// SPDX-License-Identifier: BSD-3-Clause
// Threads that a command was asked about: --pid, --name, --cgroup, --children. In: these words,
// then what a look through the trace found; out: the threads, or a sentence that says that there
// are none.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "filters/chosen_threads.h"
#include "filters/survey.h"

namespace kutrace::cli {

struct ThreadOptions {
  std::string pids;
  std::vector<std::string> names;
  std::vector<std::string> cgroups;
  bool children = false;

  bool any() const { return !pids.empty() || !names.empty() || !cgroups.empty(); }
};

class ThreadChoice {
 public:
  static Result<ThreadChoice> parse(const ThreadOptions& options);

  // What is to be looked for.
  void ask(filters::SurveyQuestions& questions) const;
  // After that look: those that are meant, with all threads of the processes that they are.
  // `trace` is the input's name.
  Result<filters::ChosenThreads> choose(filters::Survey& survey, const std::string& trace,
                                        const filters::GroupPieces* pieces = nullptr) const;

 private:
  explicit ThreadChoice(ThreadOptions options) : options_(std::move(options)) {}

  Error none_in_groups(const filters::Survey& survey, const std::string& trace) const;

  ThreadOptions options_;
  std::unordered_set<Pid> pids_;
};

}  // namespace kutrace::cli
