// SPDX-License-Identifier: BSD-3-Clause
// Whose doings are recorded: those of some processes, of a user, of programs by name, of control
// groups; where several are named, of threads of which all is true; and, if they are followed, of
// the processes that these start. Empty: everybody's. include/kutrace/filter.h says what is left
// out of all others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "kutrace/filter.h"
#include "record/proc/cgroup_folders.h"

namespace kutrace::record {

struct ThreadFilter {
  std::vector<std::uint32_t> processes;
  std::optional<std::uint32_t> user;
  std::vector<std::string> names;  // patterns of processes; * at the end only
  std::vector<CgroupFolder> cgroups;
  bool follow = false;

  bool has_criteria() const {
    return !processes.empty() || user.has_value() || !names.empty() || !cgroups.empty();
  }
  bool is_set() const { return has_criteria() || follow; }
  // Whether a trace of all threads tells which of them pass.
  bool can_come_later() const { return !user && cgroups.empty(); }
  // As the trace has it: "processes 12,13; user 1000; names nginx; groups /a; and their children".
  std::string text() const;
  // As sources take it; it holds no processes.
  kutrace_filter settings() const;
  // Patterns of the names that the kernel keeps, which are cut.
  std::vector<std::string> kept_names() const;
};

// A user by name or number.
Result<std::uint32_t> user_number(const std::string& text);
// What sources take, and each process exists.
Status check_filter(const ThreadFilter& filter);

// Processes that pass now, of those that /proc shows. With `follow` these are, too, what they, or
// those that are given, have started and what is still theirs.
std::vector<std::uint32_t> passing_processes(const ThreadFilter& filter,
                                             const std::vector<std::uint32_t>& given);

// What a filtered trace does not show.
constexpr const char* kLeftOutByFilter =
    "what threads outside the filter do: their own time is shown as hidden";

}  // namespace kutrace::record
