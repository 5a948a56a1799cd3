// SPDX-License-Identifier: BSD-3-Clause
// Control groups of processes. In: all processes, and the facts that tell the group of some ("812
// 5000 /a": process, time in ns, path); out: the group of each process. A process of which nothing
// is told is in the group of the one that made it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/facts.h"
#include "model/processes.h"

namespace kutrace {

// What such a fact says. Parsing gives nothing for a text of another form.
struct CgroupFact {
  Pid process = 0;
  Ns at = 0;
  std::string path;
};
std::optional<CgroupFact> parse_cgroup(std::string_view text);

class Cgroups {
 public:
  // `processes` must be finished.
  Cgroups(const Processes& processes, const Facts& facts);

  // A path from the root of the hierarchy; empty: the trace does not tell.
  const std::string& of(ProcessId process) const {
    return paths_.at(static_cast<std::size_t>(process));
  }

 private:
  std::vector<std::string> paths_;  // by id; nothing is at 0
};

}  // namespace kutrace
