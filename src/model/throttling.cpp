// SPDX-License-Identifier: BSD-3-Clause
// Growth of counters.
#include "model/throttling.h"

#include <algorithm>
#include <map>

#include "format/counter_records.h"
#include "model/readings.h"

namespace kutrace {

namespace {

// What is known in the window: from the first value in it to the last. One at its begin is what a
// cut left of what was read before.
struct Growth {
  std::int64_t by = 0;
  TimeWindow told;
};

Growth growth_of(const Readings::Series& series, TimeWindow window) {
  Growth growth;
  const Readings::Value* first = nullptr;
  for (const Readings::Value& value : series.values) {
    if (!value.value || value.at <= window.begin || value.at > window.end) continue;
    if (first == nullptr) first = &value;
    growth = {*value.value - *first->value, {first->at, value.at}};
  }
  return growth;
}

// That of all windows; it is told of from the first of them that tells to the last.
Growth growth_of(const Readings::Series& series, const std::vector<TimeWindow>& windows) {
  Growth all;
  for (const TimeWindow& window : windows) {
    const Growth growth = growth_of(series, window);
    if (growth.by <= 0) continue;
    all.told = {all.by == 0 ? growth.told.begin : all.told.begin, growth.told.end};
    all.by += growth.by;
  }
  return all;
}

bool is_in(std::string_view group, std::string_view outer) {
  return group == outer || outer.empty() ||
         (group.starts_with(outer) && group.substr(outer.size()).starts_with('/'));
}

}  // namespace

Throttling::Throttling(const Facts& facts, const std::vector<TimeWindow>& windows) {
  std::map<std::string, Throttled> groups;
  const Readings readings(facts);
  for (const Readings::Series& series : readings.series()) {
    for (const std::string_view name : {kThrottled, kThrottledPeriods, kQuotaPeriods}) {
      if (!series.told.name.starts_with(name)) continue;
      const Growth growth = growth_of(series, windows);
      if (growth.by <= 0) continue;
      const std::string path = series.told.name.substr(name.size());
      Throttled& group = groups[path];
      group.cgroup = path;
      const auto count = static_cast<std::uint64_t>(growth.by);
      if (name == kThrottled) group.time = growth.by;
      if (name == kThrottled) group.told = growth.told;
      if (name == kThrottledPeriods) group.throttled_periods = count;
      if (name == kQuotaPeriods) group.periods = count;
    }
  }
  for (auto& [path, group] : groups) {
    if (group.time > 0) all_.push_back(std::move(group));
  }
  std::ranges::stable_sort(all_, std::ranges::greater(), &Throttled::time);
}

std::vector<Throttled> Throttling::of(std::string_view label, CgroupPart part) const {
  std::vector<Throttled> found;
  for (const Throttled& group : all_) {
    const bool is_its = part == CgroupPart::kPath ? is_in(label, group.cgroup)
                                                  : cgroup_label(group.cgroup, part) == label;
    if (is_its) found.push_back(group);
  }
  return found;
}

}  // namespace kutrace
