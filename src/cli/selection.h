// SPDX-License-Identifier: BSD-3-Clause
// Which part of a trace a command is to look at, said by the same options everywhere. In: the
// words of the command line and the trace; out: windows of time, threads and CPUs, and the trace
// read through them. Where the words ask for what comes later in the trace (marks, its end, names,
// families, CPUs), it is looked through once before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time_window.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/thread_choice.h"
#include "cli/time_text.h"
#include "filters/group_pieces.h"
#include "filters/part.h"
#include "filters/select.h"
#include "filters/survey.h"
#include "read/trace/trace_input.h"
#include "reports/interval.h"

namespace kutrace::cli {

struct SelectionOptions {
  std::string from;
  std::string to;
  std::string first;
  std::string last;
  std::string label;
  std::string around;
  std::string cpus;
  ThreadOptions threads;

  bool any_time() const {
    return !from.empty() || !to.empty() || !first.empty() || !last.empty() || !label.empty() ||
           !around.empty();
  }
  bool any() const { return any_time() || threads.any() || !cpus.empty(); }
};

// --from --to --first --last --label --around --pid --name --cgroup --children --cpu
void add_selection_options(const Command& command, SelectionOptions& options);

class TraceSelection {
 public:
  // What is passed stays the caller's, and must live as long.
  TraceSelection(const SelectionOptions& options, const read::TraceInput& input, NameTable& names)
      : options_(options), input_(input), names_(names) {}

  // For who sums up by control group: threads of processes that moved are told in pieces, one for
  // each group (filters/group_pieces.h). Where nobody knows when they moved, the first reading
  // warns of them. A choice by control group does so, too.
  void tell_moved() { tells_moved_ = true; }
  // Comes first. The trace will be read `passes` times afterwards.
  Status choose(unsigned passes = 1);

  // In order, apart; none: all the time. The last may reach beyond the end of the recording.
  const std::vector<TimeWindow>& windows() const { return windows_; }
  // The same, of a trace whose begin and end are known.
  std::vector<TimeWindow> windows_in(const TraceInfo& info) const;
  // The same where at least one is needed: all of the time is one.
  std::vector<TimeWindow> windows_or_whole() const;
  // CPUs and threads.
  const filters::Selection& part() const { return part_; }
  // A wait of a thread, wherever it lies.
  bool wants_wait_of(Pid pid, ThreadId thread) const;
  // A call is of the window in which it begins, and of the CPU on which it ends.
  bool wants(const Call& call) const;
  // So is an interval; that of an RPC may be on no CPU.
  bool wants(const reports::Interval& interval) const;

  // "3 calls read in the trace, none of these threads in this window", of what there is and was not
  // chosen.
  std::string none_chosen(const std::string& all) const;

  // What was chosen, as filters::Part hands it on.
  Result<TraceInfo> replay(SpanSink& sink, filters::Part::Use use = filters::Part::Use::kSums);
  // All of the trace.
  Result<TraceInfo> replay_whole(SpanSink& sink);
  // An error if nothing of the trace lies in the windows.
  Status check_overlap(const TraceInfo& info) const;

 private:
  bool needs_survey() const;
  Result<TraceInfo> replay_pieces(SpanSink& sink);
  Status survey();
  Status choose_windows();
  Result<TimeWindow> one_window(TimeWindow recording) const;
  Status choose_cpus();
  Error nothing(std::string sentence) const;

  const SelectionOptions& options_;
  const read::TraceInput& input_;
  NameTable& names_;
  Progress progress_;
  std::optional<ThreadChoice> threads_;
  std::optional<MarkMargin> around_;
  std::optional<filters::Survey> survey_;
  TraceInfo surveyed_;
  std::vector<TimeWindow> windows_;
  filters::Selection part_;
  bool asks_for_moves_ = false;
  std::optional<filters::GroupPieces> pieces_;
  bool tells_moved_ = false;  // with the next reading
  bool read_ = false;         // once at least
};

}  // namespace kutrace::cli
