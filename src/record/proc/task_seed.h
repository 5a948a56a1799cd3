// SPDX-License-Identifier: BSD-3-Clause
// Every thread of the machine as /proc shows it: what was running before recording began.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace kutrace::record {

struct SeedTask {
  Pid pid = 0;
  Pid process = 0;
  Pid parent = 0;  // process that started this one
  bool kernel_thread = false;
  std::optional<std::uint32_t> blocked_in;  // system call, as a task's entry numbers it
  std::string name;
};

std::vector<SeedTask> read_all_tasks();

// One line of /proc/PID/task/TID/stat. Names may hold blanks and parentheses.
std::optional<SeedTask> parse_task_stat(const std::string& line);

}  // namespace kutrace::record
