// SPDX-License-Identifier: BSD-3-Clause
// Facts to processes, from parents to children.
#include "model/cgroups.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/time_window.h"
#include "format/text_fields.h"
#include "model/table_lives.h"

namespace kutrace {

namespace {

constexpr const char* kRoot = "/";
// One that is made in a group of its own is told to be in it just behind its begin, before it runs.
constexpr Ns kBirth = 50'000;

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

bool tells_cgroup_moves(const Facts& facts) {
  return are_told(facts) && facts.get(fact::kCgroupMoves).value_or(false);
}

bool may_have_moves(const TraceInfo& info) {
  return tells_cgroup_moves(info.facts) && std::ranges::any_of(info.facts, [&](const auto& one) {
           const auto told = one.first == fact::kCgroup.text ? parse_cgroup(one.second)
                                                             : std::optional<CgroupFact>();
           return told && told->at > info.begin;
         });
}

void Cgroups::Group::tell_last(const std::string& path) {
  if (is_told && begin != path) earlier.push_back(std::move(begin));
  begin = path;
  is_told = true;
}

// In order of time.
void Cgroups::Group::tell(const CgroupFact& told, const Process& process) {
  if (told.at <= process.begin + kBirth && moves.empty()) {
    begin = told.path;
    is_told = true;
  } else if (told.at < process.end && (moves.empty() ? begin : moves.back().path) != told.path) {
    moves.push_back({told.at, told.path});
  }
}

// Null: it was where it began.
const std::string* Cgroups::Group::at(Ns time) const {
  const auto next = std::ranges::upper_bound(moves, time, {}, &CgroupMove::at);
  return next == moves.begin() ? nullptr : &std::prev(next)->path;
}

const std::string& Cgroups::of(ProcessId process) const {
  const Group& known = group(process);
  return known.moves.empty() ? known.begin : known.moves.back().path;
}

const std::string& Cgroups::of(ProcessId process, Ns at) const {
  const std::string* const path = group(process).at(at);
  return path != nullptr ? *path : group(process).begin;
}

Cgroups::Cgroups(const Processes& processes, const Facts& facts, Times times)
    : groups_(processes.all().size() + 1) {
  if (!are_told(facts)) return;
  std::vector<CgroupFact> all_told;
  for (const auto& [key, value] : facts) {
    if (key != fact::kCgroup.text) continue;
    if (std::optional<CgroupFact> told = parse_cgroup(value)) all_told.push_back(std::move(*told));
  }
  const bool moves_are_told = tells_cgroup_moves(facts);
  const bool are_timed = moves_are_told && times == Times::kTold;
  if (moves_are_told) std::ranges::stable_sort(all_told, {}, &CgroupFact::at);
  // Of each number, the processes that had it, as they began.
  std::map<Pid, std::vector<const Process*>> by_number;
  Ns begin = kForever;
  Ns end = -kForever;
  for (const Process& process : processes.all()) {
    by_number[process.number].push_back(&process);
    begin = std::min(begin, process.begin);
    end = std::max(end, process.end);
  }
  for (const CgroupFact& told : all_told) {
    const auto found = by_number.find(told.process);
    if (found == by_number.end()) continue;
    for (const Process* const process : found->second) {
      // What was told before a piece of a recording begins holds at its begin.
      const bool is_it = process->begin <= std::max(told.at, begin) &&
                         (process == found->second.back() || told.at <= process->end);
      // Of moves, a part may tell those that came behind it; and what is read when the recording
      // is over may be of a stranger that has the number by then.
      const bool is_behind = told.at > process->end && (moves_are_told || process->end < end);
      if (!is_it || is_behind) continue;
      Group& group = groups_[static_cast<std::size_t>(process->id)];
      if (are_timed)
        group.tell(told, *process);
      else
        group.tell_last(told.path);
    }
  }
  for (const Process& process : processes.all()) inherit(processes, process);
}

// From the closest one above that was in a group then; a walk in a circle ends at the root, too.
void Cgroups::inherit(const Processes& processes, const Process& process) {
  std::vector<Group*> below;
  const auto group_of = [this](ProcessId id) { return &groups_[static_cast<std::size_t>(id)]; };
  const std::string* path = nullptr;
  ProcessId at = process.id;
  while (path == nullptr && at != ProcessId::kNone && below.size() < groups_.size()) {
    Group* const group = group_of(at);
    if (!group->begin.empty()) {
      path = &group->begin;
    } else {
      below.push_back(group);
      const Ns begin = processes.at(at).begin;
      at = processes.maker(processes.at(at));
      if (at != ProcessId::kNone) path = group_of(at)->at(begin);
    }
  }
  const std::string found = path != nullptr ? *path : kRoot;
  for (Group* const group : below) {
    group->begin = found;
    // It may have been told to be where it was.
    if (!group->moves.empty() && group->moves.front().path == found)
      group->moves.erase(group->moves.begin());
  }
}

std::map<Pid, std::string> cgroups_of_table(const TraceInfo& info) {
  std::map<Pid, std::string> paths;
  if (!are_told(info.facts)) return paths;
  const std::vector<ThreadLife> lives = lives_of(info);
  const Processes processes = processes_of(lives);
  const Cgroups cgroups(processes, info.facts, Cgroups::Times::kNotTold);
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
  const Cgroups cgroups(processes, info.facts, Cgroups::Times::kNotTold);
  for (const Process& process : processes.all()) {
    const std::string& path = cgroups.at_begin(process.id);
    if (cgroups.is_inherited(process.id) && path != kRoot)
      facts.push_back({process.number, info.begin, path});
  }
  return facts;
}

}  // namespace kutrace
