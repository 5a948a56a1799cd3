// SPDX-License-Identifier: BSD-3-Clause
// Differences of readings.
#include "record/source/skipped_runs.h"

#include <fmt/format.h>

#include <algorithm>

namespace kutrace::record {

void SkippedRunCounter::read(std::string_view hook, std::uint64_t counter, Ticks now) {
  const auto found = hooks_.find(hook);
  if (found == hooks_.end()) {
    hooks_.emplace(hook, Reading{counter, now, {std::string(hook), 0, now, now}});
    return;
  }
  Reading& last = found->second;
  if (counter > last.counter) {
    if (last.skipped.runs == 0) last.skipped.begin = last.at;
    last.skipped.runs += counter - last.counter;
    last.skipped.end = now;
  }
  last.counter = counter;
  last.at = now;
}

std::vector<SkippedRuns> SkippedRunCounter::all() const {
  std::vector<SkippedRuns> result;
  for (const auto& [hook, reading] : hooks_)
    if (reading.skipped.runs != 0) result.push_back(reading.skipped);
  return result;
}

std::vector<SkippedRuns> skipped_since(Ticks begin, const std::vector<SkippedRuns>& before,
                                       std::vector<SkippedRuns> all) {
  for (SkippedRuns& one : all) {
    const auto earlier = std::ranges::find(before, one.hook, &SkippedRuns::hook);
    if (earlier != before.end()) one.runs -= earlier->runs;
    one.begin = std::max(one.begin, begin);
  }
  std::erase_if(all, [](const SkippedRuns& one) { return one.runs == 0; });
  return all;
}

std::uint64_t total_of(const std::vector<SkippedRuns>& skipped) {
  std::uint64_t total = 0;
  for (const SkippedRuns& one : skipped) total += one.runs;
  return total;
}

std::string skipped_text(const SkippedRuns& skipped, Ticks start, const TickRate& rate) {
  const auto seconds = [&](Ticks at) { return rate.ns(at > start ? at - start : 0) / 1e9; };
  return fmt::format("{} {} ({:.2f}..{:.2f} s)", skipped.hook, skipped.runs, seconds(skipped.begin),
                     seconds(skipped.end));
}

}  // namespace kutrace::record
