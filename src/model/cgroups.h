// SPDX-License-Identifier: BSD-3-Clause
// Control groups of processes. In: all processes, and the facts that tell the group of some ("812
// 5000 /a": process, time in ns, path); out: the group of each process. A process of which nothing
// is told is in the group of the one that made it. One that moved while it was recorded is in the
// last group that is told of it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/facts.h"
#include "model/processes.h"
#include "model/trace_info.h"

namespace kutrace {

// What such a fact says. Parsing gives nothing for a text of another form.
struct CgroupFact {
  Pid process = 0;
  Ns at = 0;
  std::string path;
};
std::optional<CgroupFact> parse_cgroup(std::string_view text);
std::string text_of(const CgroupFact& told);

class Cgroups {
 public:
  // `processes` must be finished.
  Cgroups(const Processes& processes, const Facts& facts);

  // A path from the root of the hierarchy; empty: the trace does not tell.
  const std::string& of(ProcessId process) const {
    return groups_.at(static_cast<std::size_t>(process)).path;
  }
  // Whether that is its parent's, as none is told of it.
  bool is_inherited(ProcessId process) const {
    return !groups_.at(static_cast<std::size_t>(process)).is_told;
  }
  // Those that are told of it before the last one; none: it did not move.
  const std::vector<std::string>& earlier(ProcessId process) const {
    return groups_.at(static_cast<std::size_t>(process)).earlier;
  }

 private:
  struct Group {
    std::string path;
    bool is_told = false;
    std::vector<std::string> earlier;

    void tell(const std::string& next);
  };
  void inherit(const Processes& processes, const Process& process);

  std::vector<Group> groups_;  // by id; nothing is at 0
};

// Of a trace without lives: the group of each thread, by its number.
std::map<Pid, std::string> cgroups_of_table(const TraceInfo& info);
// What no fact tells of its processes: groups other than the root that they have of their parents.
std::vector<CgroupFact> inherited_cgroups(const TraceInfo& info);

}  // namespace kutrace
