// SPDX-License-Identifier: BSD-3-Clause
// Which threads a filter of processes leaves out of a trace that has all of them. In: what a trace
// says of threads, and the filter; out: whether a thread passes at a time, by the rules of
// include/kutrace/filter.h, as if the recording had had the filter.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/units.h"
#include "timeline/trace_layout.h"

namespace kutrace::raw {

struct ProcessChoice {
  std::unordered_set<Pid> processes;  // by number; none: any
  std::vector<std::string> names;     // shell patterns of their first threads' names; none: any
  bool follow = false;                // also what those start that pass
};

class ChosenProcesses {
 public:
  // Reads the whole trace.
  ChosenProcesses(const timeline::TraceLayout& layout, ProcessChoice choice);

  // Nobody's time and threads of the kernel are never left out; a thread of which the trace tells
  // nothing is, unless it has a process's number that was chosen.
  bool leaves_out(Pid pid, Ticks time) const;

 private:
  struct Life {
    Ticks begin = 0;
    Pid process = 0;
    Pid parent = 0;  // process
    bool is_kernel = false;
  };
  struct Name {
    Ticks since = 0;
    std::string text;
  };

  void note(const decode::Entry& entry, Ticks time);
  void sort();
  void follow();
  const Life* life_of(Pid pid, Ticks time) const;
  bool is_chosen(Pid process, Ticks time) const;
  bool passes(Pid process, Ticks time) const;

  const ProcessChoice choice_;
  std::map<Pid, std::vector<Life>> lives_;         // of threads, by begin
  std::map<Pid, std::vector<Name>> names_;         // likewise
  std::map<Pid, std::map<Ticks, bool>> followed_;  // of processes, by begin
};

}  // namespace kutrace::raw
