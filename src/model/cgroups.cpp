// SPDX-License-Identifier: BSD-3-Clause
// Facts to processes, from parents to children.
#include "model/cgroups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/time_window.h"
#include "format/text_fields.h"
#include "model/table_lives.h"

namespace kutrace {

namespace {

constexpr const char* kRoot = "/";

bool are_told(const Facts& facts) { return facts.get(fact::kCgroups).value_or(false); }

}  // namespace

std::optional<CgroupFact> parse_cgroup(std::string_view text) {
  TextFields fields(text);
  CgroupFact told;
  told.process = fields.number<Pid>(10);
  told.at = fields.number<Ns>(10);
  told.path = fields.rest();
  if (!fields.good() || told.path.empty()) return std::nullopt;
  return told;
}

std::string text_of(const CgroupFact& told) {
  return fmt::format("{} {} {}", told.process, told.at, told.path);
}

void Cgroups::Group::tell(const std::string& next) {
  if (is_told && path != next) earlier.push_back(std::move(path));
  path = next;
  is_told = true;
}

Cgroups::Cgroups(const Processes& processes, const Facts& facts)
    : groups_(processes.all().size() + 1) {
  if (!are_told(facts)) return;
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
      if (is_it) groups_[static_cast<std::size_t>(process->id)].tell(told->path);
    }
  }
  for (const Process& process : processes.all()) inherit(processes, process);
}

// From the closest one above that has a group; a walk in a circle ends at the root, too.
void Cgroups::inherit(const Processes& processes, const Process& process) {
  std::vector<Group*> below;
  const auto group_of = [this](ProcessId id) { return &groups_[static_cast<std::size_t>(id)]; };
  const auto is_open = [&](ProcessId id) {
    return id != ProcessId::kNone && group_of(id)->path.empty();
  };
  ProcessId at = process.id;
  while (is_open(at) && below.size() < groups_.size()) {
    below.push_back(group_of(at));
    at = processes.maker(processes.at(at));
  }
  const std::string path = at == ProcessId::kNone || is_open(at) ? kRoot : group_of(at)->path;
  for (Group* const group : below) group->path = path;
}

std::map<Pid, std::string> cgroups_of_table(const TraceInfo& info) {
  std::map<Pid, std::string> paths;
  if (!are_told(info.facts)) return paths;
  const std::vector<ThreadLife> lives = lives_of(info);
  const Processes processes = processes_of(lives);
  const Cgroups cgroups(processes, info.facts);
  std::map<Pid, ProcessId> by_number;
  for (const Process& process : processes.all()) by_number[process.number] = process.id;
  for (const ThreadLife& life : lives)
    paths[life.pid] = cgroups.of(by_number.at(Processes::number_of(life)));
  return paths;
}

std::vector<CgroupFact> inherited_cgroups(const TraceInfo& info) {
  std::vector<CgroupFact> facts;
  if (!are_told(info.facts)) return facts;
  const Processes processes = processes_of(lives_of(info));
  const Cgroups cgroups(processes, info.facts);
  for (const Process& process : processes.all()) {
    const std::string& path = cgroups.of(process.id);
    if (cgroups.is_inherited(process.id) && path != kRoot)
      facts.push_back({process.number, info.begin, path});
  }
  return facts;
}

}  // namespace kutrace
