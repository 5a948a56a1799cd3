// SPDX-License-Identifier: BSD-3-Clause
// The part of a trace that a question is about, for what sums it up. In: a whole trace; out: what
// is of the chosen windows of time, CPUs and threads, to the nanosecond.
//
// Execution is that of `TrimTime` and `Select`, but what they hide is cut at the windows' edges,
// too, so that each CPU's execution spans add up to exactly the windows. What happens at a moment,
// arcs among it, is of the window in which it begins, and a call, too: a call of the part is handed
// on whole. A wakeup is the woken thread's. So is the life of each chosen thread that lived in a
// window and ran on a chosen CPU; of it, `begin` and `end` alone can be cut. Its other lives tell
// of its names and numbers, and of no time. Facts tell the control group of each of its processes
// that it has of one left out.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "base/time_window.h"
#include "filters/inherited_groups.h"
#include "filters/select.h"
#include "filters/trim_time.h"

namespace kutrace::filters {

// Whether a call is of the part: it begins in a window, ends on a chosen CPU.
bool has_call(const std::vector<TimeWindow>& windows, const Selection& selection, const Call& call);

class Part : public SpanSink {
 public:
  // kTimeline: for what draws a timeline, in which whoever runs does so until the next one. What
  // lies between the windows stays, as hidden, wakeups by chosen threads are kept, too, and calls
  // end where the last window does.
  // kRows: for what has a row for each life: those outside of the part are left out.
  // kSpans: the same for what holds spans that add up: what lies between the windows stays, as
  // hidden, and wakeups by chosen threads are kept, too.
  // kUncut: for what has to know what came before a window, and cuts at its edges itself: all that
  // has a length is handed on whole, wherever it lies.
  enum class Use { kSums, kRows, kSpans, kTimeline, kUncut };

  Part(std::vector<TimeWindow> windows, Selection selection, NameTable& names, SpanSink& sink,
       Use use = Use::kSums);

  void begin(const TraceInfo& known) override { head_->begin(known); }
  void push(const Span& span) override;
  void expect(Pid pid, ThreadId thread, Ahead ahead) const override {
    sink_.expect(pid, thread, ahead);
  }
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override;

 private:
  // What is hidden between two windows goes.
  class Cut : public SpanStage {
   public:
    Cut(const std::vector<TimeWindow>& windows, SpanSink& sink)
        : SpanStage(sink), windows_(windows) {}
    void push(const Span& span) override;

   private:
    const std::vector<TimeWindow>& windows_;
  };

  // It shows the time between the windows, too.
  bool holds_gaps() const { return use_ == Use::kSpans || use_ == Use::kTimeline; }
  bool wants(const Call& call);

  const std::vector<TimeWindow> windows_;
  const Selection selection_;
  const Use use_;
  const bool is_part_;                     // of the trace, not all of it
  std::unordered_set<CallId> interrupts_;  // of chosen threads, that are not over
  WokenThreads woken_;                     // unless Select alone decides about wakeups
  InheritedGroups groups_;
  SpanSink& sink_;
  Cut cut_;
  std::optional<Select> select_;
  std::optional<TrimTime> trim_;  // of kUncut for the facts alone
  SpanSink* head_;                // of spans
};

}  // namespace kutrace::filters
