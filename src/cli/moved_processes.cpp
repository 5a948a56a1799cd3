// SPDX-License-Identifier: BSD-3-Clause
// Counts them, and names the first.
#include "cli/moved_processes.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "cli/log.h"
#include "model/cgroups.h"
#include "model/table_lives.h"
#include "model/thread_label.h"

namespace kutrace::cli {

void MovedProcesses::life(const ThreadLife& life) {
  any_life_ = true;
  processes_.add(life);
  next().life(life);
}

void MovedProcesses::end(TraceInfo& info) {
  if (!any_life_)
    for (const ThreadLife& life : lives_of(info)) processes_.add(life);
  processes_.finish();
  warn(info);
  next().end(info);
}

void MovedProcesses::warn(const TraceInfo& info) const {
  const Cgroups cgroups(processes_, info.facts,
                        any_life_ ? Cgroups::Times::kTold : Cgroups::Times::kNotTold);
  std::size_t count = 0;
  std::string first;
  for (const Process& process : processes_.all()) {
    const auto& earlier = cgroups.earlier(process.id);
    if (earlier.empty() || ++count != 1) continue;
    const std::string name = process.name != kNoName ? names_.text(process.name) : std::string();
    first = fmt::format("{} from {} to {}", thread_label(name, process.number, info.facts),
                        earlier.front(), cgroups.of(process.id));
  }
  if (count == 0) return;
  log_warn(
      "{}: {} moved to another control group while recorded, {}{}: all time counts for the last",
      printable(trace_), counted(count, "process", "processes"), printable(first),
      count == 1 ? "" : " among them");
}

}  // namespace kutrace::cli
