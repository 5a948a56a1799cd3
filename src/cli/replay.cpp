// SPDX-License-Identifier: BSD-3-Clause
// The bar, and the warning.
#include "cli/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/text.h"
#include "cli/log.h"
#include "cli/progress.h"
#include "format/group_times.h"
#include "model/throttling.h"

namespace kutrace::cli {

namespace {

constexpr double kShareThatMatters = 0.01;  // less is what recordings lose now and then
constexpr std::size_t kThrottledShown = 3;

}  // namespace

Result<TraceInfo> replay_shown(const read::TraceInput& input, NameTable& names, SpanSink& sink) {
  Progress bar;
  return input.replay(names, sink, [&bar](double share) { bar.show(share); });
}

void warn_of_gaps(const read::TraceInput& input, const TraceInfo& info) {
  std::vector<std::string> gaps;
  for (const auto& [what, times] : info.counters.named(Severity::kDamage)) {
    gaps.push_back(fmt::format("{} {}", what, times));
  }
  Ns lost = 0;
  for (const LossRecord& loss : info.losses) lost += loss.end - loss.begin;
  const double all =
      static_cast<double>(info.end - info.begin) * static_cast<double>(info.cpus.size());
  if (static_cast<double>(lost) >= kShareThatMatters * all && lost != 0) {
    gaps.push_back(fmt::format("{}, {:.6f} s of the CPUs' time",
                               counted(info.losses.size(), "loss", "losses"),
                               static_cast<double>(lost) / 1e9));
  }
  if (gaps.empty()) return;
  log_warn("{}: the trace is incomplete: {}; kutrace check shows more", printable(input.name()),
           fmt::join(gaps, ", "));
}

void warn_of_unrecorded(const read::TraceInput& input, const TraceInfo& info) {
  const auto warn = [&](const std::string& sentence) {
    log_warn("{}: {}", printable(input.name()), sentence);
  };
  if (const auto groups = info.facts.get(fact::kEvents)) {
    std::vector<std::string> missing;
    for (const char* group : {"syscalls", "irqs", "softirqs", "faults", "sched"}) {
      if (std::ranges::find(*groups, group) == groups->end()) missing.emplace_back(group);
    }
    if (!missing.empty()) {
      warn(fmt::format("not recorded, so nothing is known about them: {}",
                       fmt::join(missing, ", ")));
    }
    if (std::ranges::find(*groups, "wakeups") == groups->end()) {
      warn("wakeups are not recorded: a thread that was ready counts as blocked until it ran");
    }
  }
  for (const std::string& line : group_times_text(GroupTimes(info.facts), info.begin, info.end))
    warn("recorded for part of the time, so its numbers are incomplete: " + line);
  if (const auto threads = info.facts.get(fact::kRecordedThreads)) {
    const auto changes = static_cast<std::size_t>(std::ranges::count(
        info.facts, std::string_view(fact::kProcessesChange.text), &Facts::Fact::first));
    warn(fmt::format("only some threads were recorded, and others are not counted: {}{}",
                     printable(*threads),
                     changes == 0 ? "" : ", changed " + counted(changes, "time", "times")));
  }
}

void tell_of_throttling(const read::TraceInput& input, const TraceInfo& info) {
  const Throttling throttling(info.facts, {{info.begin, info.end}});
  const auto& groups = throttling.all();
  for (const Throttled& group : std::span(groups).first(std::min(groups.size(), kThrottledShown))) {
    log_info(
        "{}: the control group {} had used up its quota of CPU time in {} of {} and was kept "
        "from running for {:.3f} ms: its threads were ready meanwhile; kutrace stat --by cgroup",
        printable(input.name()), printable(group.cgroup), grouped(group.throttled_periods),
        counted(group.periods, "period", "periods"), static_cast<double>(group.time) / 1e6);
  }
}

}  // namespace kutrace::cli
