// SPDX-License-Identifier: BSD-3-Clause
// Facts to processes, from parents to children.
#include "model/cgroups.h"

#include <algorithm>
#include <map>

#include "base/time_window.h"
#include "format/text_fields.h"

namespace kutrace {

std::optional<CgroupFact> parse_cgroup(std::string_view text) {
  TextFields fields(text);
  CgroupFact told;
  told.process = fields.number<Pid>(10);
  told.at = fields.number<Ns>(10);
  told.path = fields.rest();
  if (!fields.good() || told.path.empty()) return std::nullopt;
  return told;
}

Cgroups::Cgroups(const Processes& processes, const Facts& facts)
    : paths_(processes.all().size() + 1) {
  if (!facts.get(fact::kCgroups).value_or(false)) return;
  // Of each number, the processes that had it, as they began.
  std::map<Pid, std::vector<const Process*>> by_number;
  Ns begin = kForever;
  for (const Process& process : processes.all()) {
    by_number[process.number].push_back(&process);
    begin = std::min(begin, process.begin);
  }
  for (const auto& [key, value] : facts) {
    if (key != fact::kCgroup.text) continue;
    const std::optional<CgroupFact> told = parse_cgroup(value);
    const auto found = told ? by_number.find(told->process) : by_number.end();
    if (found == by_number.end()) continue;
    for (const Process* const process : found->second) {
      // What was told before a piece of a recording begins holds at its begin.
      const bool is_it = process->begin <= std::max(told->at, begin) &&
                         (process == found->second.back() || told->at <= process->end);
      if (is_it) paths_[static_cast<std::size_t>(process->id)] = told->path;
    }
  }
  // Parents begin first, so they have theirs.
  for (const Process& process : processes.all()) {
    std::string& path = paths_[static_cast<std::size_t>(process.id)];
    if (!path.empty()) continue;
    const ProcessId maker = processes.maker(process);
    path = maker == ProcessId::kNone || maker >= process.id ? "/" : of(maker);
  }
}

}  // namespace kutrace
