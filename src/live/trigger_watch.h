// SPDX-License-Identifier: BSD-3-Clause
// Triggers that spans decide. In: triggers, and the spans of a recording, finished or live; out: a
// call of `fires` for each time that a trigger's limit is exceeded, when what exceeded it ended.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "live/lane.h"
#include "live/trigger.h"
#include "model/span_sink.h"
#include "reports/interval_finder.h"

namespace kutrace::live {

struct Firing {
  std::size_t trigger = 0;  // which of the triggers
  std::string what{};       // "call fsync", "wait for disk", "wait for a CPU", "exit"
  Pid pid = kNoPid;
  std::string thread{};  // its name
  Ns begin = 0;          // on the clock of the recording
  Ns length = 0;
  std::int64_t status = 0;  // of an exit, as wait(2) has it
  bool goes_on = false;     // it was not over
};
using Fires = std::function<void(const Firing&)>;

// Whether spans decide it; others need a look at the machine.
bool is_of_spans(const Trigger& trigger);

class TriggerWatch : public SpanSink {
 public:
  // `triggers` and the view outlive it.
  TriggerWatch(const std::vector<Trigger>& triggers, const LaneView& view, Fires fires);

  void push(const Span& span) override;
  void call(const Call& call) override;

 private:
  // One interval finder for each trigger that has a question.
  struct Finder {
    std::size_t trigger;
    std::unique_ptr<reports::IntervalFinder> finder;
  };

  // A thread that told of its process's end.
  struct Ended {
    Pid process;
    Pid thread;
    Ns at;
  };

  void found(std::size_t trigger, const reports::Interval& interval);
  void wait(const Span& span);
  void exit(const Span& span);
  void unfinished(const Call& call);
  void fire(Firing firing);

  const std::vector<Trigger>& triggers_;
  const LaneView view_;
  Fires fires_;
  std::vector<Finder> finders_;
  std::vector<Ended> ended_;  // lately
};

}  // namespace kutrace::live
