// SPDX-License-Identifier: BSD-3-Clause
// Rows of one base name to groups by how long they lasted, declared in reports/profile.h.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

#include "base/add_time.h"
#include "format/container_name.h"
#include "model/thread_label.h"
#include "reports/profile.h"

namespace kutrace::reports {

namespace {

constexpr std::array<const char*, 24> kSuffixes = {
    "_1us",   "_2us",   "_4us",   "_8us",   "_16us", "_32us", "_64us", "_125us",
    "_250us", "_500us", "_1ms",   "_2ms",   "_4ms",  "_8ms",  "_16ms", "_32ms",
    "_64ms",  "_125ms", "_256ms", "_512ms", "_1s",   "_2s",   "_4s",   "_8s"};

std::size_t bucket_of(Ns elapsed) {
  // In units of 1/1024 ms, so that both 1 ms and 1 us begin a bucket nearly.
  const auto units = static_cast<std::uint64_t>(std::max<Ns>(0, elapsed)) * 1024 / 1'000'000;
  const auto bits = static_cast<std::size_t>(std::bit_width(units));
  return std::min(bits == 0 ? 0 : bits - 1, kSuffixes.size() - 1);
}

void merge_cell(std::vector<ProfileCell>& cells, const ProfileCell& more) {
  const auto same = std::find_if(cells.begin(), cells.end(), [&](const ProfileCell& cell) {
    return cell.kind == more.kind && cell.name == more.name;
  });
  if (same == cells.end()) {
    cells.push_back(more);
    return;
  }
  const auto before = static_cast<double>(same->total);
  const auto added = static_cast<double>(more.total);
  if (before + added > 0) same->ipc = (same->ipc * before + more.ipc * added) / (before + added);
  add_time(same->total, more.total);
  same->pieces += more.pieces;
  // How long calls last says more than how long pieces do, which some threads have alone.
  if (same->is_calls && !more.is_calls) return;
  if (more.is_calls && !same->is_calls) {
    same->durations = more.durations;
    same->lasted = more.lasted;
    same->calls_on_cpu = more.calls_on_cpu;
    same->calls_blocked = more.calls_blocked;
    same->is_calls = true;
    return;
  }
  same->durations.merge(more.durations);
  add_time(same->lasted, more.lasted);
  add_time(same->calls_on_cpu, more.calls_on_cpu);
  add_time(same->calls_blocked, more.calls_blocked);
}

ProfileRow merged(const std::vector<const ProfileRow*>& rows, const std::string& suffix) {
  ProfileRow group;
  group.of = rows.front()->of;
  group.id = rows.front()->id;
  group.base = rows.front()->base;
  group.name = name_label(group.base) + suffix;
  group.merged = rows.size();
  for (const ProfileRow* row : rows) {
    add_time(group.elapsed, row->elapsed);
    add_time(group.on_cpu, row->on_cpu);
    for (const ProfileCell& cell : row->cells) merge_cell(group.cells, cell);
  }
  // Classes of cells stay in order because the rows' cells are; only the sums changed.
  std::stable_sort(group.cells.begin(), group.cells.end(),
                   [](const ProfileCell& a, const ProfileCell& b) {
                     return std::tuple(profile_rank(a.kind), -a.total) <
                            std::tuple(profile_rank(b.kind), -b.total);
                   });
  return group;
}

}  // namespace

std::vector<ProfileRow> rows_of_groups(const std::vector<ProfileRow>& rows, ProfileOf of) {
  const CgroupPart part = cgroup_part(profile_of_name(of)).value_or(CgroupPart::kPath);
  std::map<std::string, std::vector<const ProfileRow*>> members;
  for (const ProfileRow& row : rows) {
    if (row.of == ProfileOf::kThreads) members[cgroup_label(row.cgroup, part)].push_back(&row);
  }
  std::vector<ProfileRow> groups;
  for (const auto& [label, threads] : members) {
    ProfileRow& group = groups.emplace_back(merged(threads, ""));
    group.of = of;
    group.base = group.name = label;
    group.merged = 1;
  }
  return groups;
}

std::vector<ProfileRow> grouped_rows(const std::vector<ProfileRow>& rows, bool all) {
  std::map<std::pair<ProfileOf, std::string>, std::vector<const ProfileRow*>> bases;
  for (const ProfileRow& row : rows) bases[{row.of, row.base}].push_back(&row);
  std::vector<ProfileRow> groups;
  for (const auto& [base, members] : bases) {
    if (members.size() == 1 && !all) continue;
    groups.push_back(merged(members, "_AVG"));
    if (base.first == ProfileOf::kCpus) continue;
    std::map<std::size_t, std::vector<const ProfileRow*>> buckets;
    for (const ProfileRow* row : members) buckets[bucket_of(row->elapsed)].push_back(row);
    for (const auto& [bucket, some] : buckets) groups.push_back(merged(some, kSuffixes[bucket]));
  }
  return groups;
}

}  // namespace kutrace::reports
