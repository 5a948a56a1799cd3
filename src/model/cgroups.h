// SPDX-License-Identifier: BSD-3-Clause
// Control groups of processes. In: all processes, and the facts that tell the group of some ("812
// 5000 /a": process, time in ns, path); out: the group of each process, at each time. One that
// nothing tells of is in the group of the one that made it.
//
// Where the trace says that moves are told, and when processes lived, one is in a group from the
// time at which it is told so, and begins in the group that its parent was in then. Elsewhere one
// that moved is in the last group that is told of it, for all of its time.
#pragma once

#include <cstddef>
#include <cstdint>
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

// From then on a process is in that group.
struct CgroupMove {
  Ns at = 0;
  std::string path;
};

class Cgroups {
 public:
  // kNotTold: nobody knows when processes lived (model/table_lives.h), so moves are none.
  enum class Times : std::uint8_t { kTold, kNotTold };

  // `processes` must be finished.
  Cgroups(const Processes& processes, const Facts& facts, Times times = Times::kTold);

  // A path from the root of the hierarchy; empty: the trace does not tell. The one that it is in
  // when it ends.
  const std::string& of(ProcessId process) const;
  const std::string& of(ProcessId process, Ns at) const;
  const std::string& at_begin(ProcessId process) const { return group(process).begin; }
  // Where it went from there while it lived, in order.
  const std::vector<CgroupMove>& moves(ProcessId process) const { return group(process).moves; }
  // Whether it begins in its parent's, as none is told of it.
  bool is_inherited(ProcessId process) const { return !group(process).is_told; }
  // Those that it was in, nobody knows until when; none: it did not move, or that is told.
  const std::vector<std::string>& earlier(ProcessId process) const {
    return group(process).earlier;
  }

 private:
  struct Group {
    std::string begin;
    bool is_told = false;  // that
    std::vector<CgroupMove> moves;
    std::vector<std::string> earlier;

    void tell_last(const std::string& path);
    void tell(const CgroupFact& told, const Process& process);
    const std::string* at(Ns time) const;
  };
  const Group& group(ProcessId process) const {
    return groups_.at(static_cast<std::size_t>(process));
  }
  void inherit(const Processes& processes, const Process& process);

  std::vector<Group> groups_;  // by id; nothing is at 0
};

// Whether the trace tells when processes move.
bool tells_cgroup_moves(const Facts& facts);
// Whether it tells of any.
bool may_have_moves(const TraceInfo& info);
// Of a trace without lives: the group of each thread, by its number.
std::map<Pid, std::string> cgroups_of_table(const TraceInfo& info);
// What no fact tells of its processes: groups other than the root that they have of their parents.
std::vector<CgroupFact> inherited_cgroups(const TraceInfo& info);

}  // namespace kutrace
