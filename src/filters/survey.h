// SPDX-License-Identifier: BSD-3-Clause
// A first look at a trace, for filters that must know what comes later: where the marks with a
// label are, which threads had a name, which ran on some CPUs. In: spans; out: answers.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/time_window.h"
#include "filters/chosen_threads.h"
#include "filters/group_pieces.h"
#include "model/by_name.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/thread_rows.h"
#include "model/trace_info.h"

namespace kutrace::filters {

struct SurveyQuestions {
  std::string label;                              // empty: marks are not asked for
  std::vector<std::string> thread_names;          // shell patterns
  std::optional<std::unordered_set<CpuId>> cpus;  // which threads ran there?
  std::unordered_set<Pid> pids = {};              // does the trace have any of them?
  std::vector<std::string> cgroups = {};          // shell patterns of paths
  bool moves = false;                             // when did processes change their group?
};

class Survey : public SpanSink {
 public:
  Survey(SurveyQuestions questions, const NameTable& names);
  void push(const Span& span) override;
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override;

  // From each mark `label` to the next mark "/label", or to `end` if there is none.
  std::vector<TimeWindow> labelled(Ns end) const;
  // `margin` before and after each mark `label`.
  std::vector<TimeWindow> around(Ns margin) const;
  // Whether any thread had one of the names at any time.
  bool has_named() const;
  // The threads that had one of the names or numbers, with those of their processes, and those of
  // processes in one of the control groups; with
  // `children`, of their processes' children, too.
  ChosenThreads chosen(bool children, const GroupPieces* pieces = nullptr);
  // If moves were asked for.
  GroupPieces pieces() const { return {lives_, facts_}; }
  const ChosenThreads& ran_on_cpus() const { return ran_on_cpus_; }
  // Whether the trace has a thread or process of the numbers that were asked for.
  bool has_any() const;
  // The last groups of processes that moved out of those that were asked for.
  std::set<std::string> groups_of_moved() const;
  // Whether the trace says which control groups processes are in.
  bool knows_cgroups() const { return facts_.get(fact::kCgroups).value_or(false); }
  // Whether the trace names the parent of any thread.
  bool knows_parents() const;

 private:
  struct Mark {
    Ns time = 0;
    bool opens = false;  // "label" rather than "/label"
  };

  bool asks_for_threads() const {
    return !questions_.thread_names.empty() || !questions_.pids.empty() ||
           !questions_.cgroups.empty() || questions_.moves;
  }
  void mark(const Span& span);
  std::vector<Mark> sorted() const;
  void had_name(Pid pid, ThreadId thread, NameId name);

  SurveyQuestions questions_;
  std::string end_label_;
  const NameTable& names_;
  ByName<bool> is_asked_name_;
  std::vector<Mark> marks_;
  ThreadRows threads_;
  std::vector<bool> named_;  // by row of threads_
  std::vector<ThreadLife> lives_;
  ChosenThreads ran_on_cpus_;
  bool saw_any_ = false;
  Facts facts_;
};

}  // namespace kutrace::filters
