// SPDX-License-Identifier: BSD-3-Clause
// Facts of a trace to lines.
#include "emit/text/info_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <set>
#include <span>
#include <string>

#include "base/counted.h"
#include "base/text.h"
#include "format/event_table.h"
#include "format/group_times.h"

namespace kutrace::emit {

namespace {

constexpr std::size_t kShownLosses = 40;
constexpr std::size_t kShownNames = 40;

std::string seconds(Ns ns) { return fmt::format("{:.6f}", static_cast<double>(ns) / 1e9); }

std::string wall_text(std::uint64_t usec) {
  if (usec == 0) return "not known when";
  const auto second = static_cast<std::time_t>(usec / 1'000'000);
  std::tm utc{};
  if (gmtime_r(&second, &utc) == nullptr) return fmt::format("{} usec after 1970", usec);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:06} UTC", utc, usec % 1'000'000);
}

// Of a fact about a control group; a file may say anything.
std::string path_of(const std::string& cgroup) {
  const std::size_t at = cgroup.find('/');
  return at == std::string::npos ? cgroup : cgroup.substr(at);
}

void recording(const TraceInfo& info, const LineSink& line) {
  const auto show = [&line](const char* label, const std::string& value) {
    if (!value.empty()) line(fmt::format("{:<12} {}", label, value));
  };
  show("host", info.host_name);
  show("kernel", info.kernel_version);
  show("CPU model", info.cpu_model);
  show("started", wall_text(info.wall_usec));
  show("recorded",
       fmt::format("{} s, from {} s to {} s after the start", seconds(info.end - info.begin),
                   seconds(info.begin), seconds(info.end)));
  show("clock", fmt::format("{} ns per tick", info.ns_per_tick));
  show("CPUs", fmt::format("{}", fmt::join(info.cpus, " ")));
  const double length = static_cast<double>(info.end - info.begin) / 1e9;
  const double rate = length > 0 ? static_cast<double>(info.events) / length : 0;
  show("events", fmt::format("{} in {} of {}, {:.0f} per second", grouped(info.events),
                             counted(info.entries, "entry", "entries"),
                             counted(info.blocks, "block", "blocks"), rate));
  std::map<std::string, std::set<std::string>> cgroups;  // and which processes were in them
  std::size_t counters = 0;
  std::size_t readings = 0;
  for (const auto& [key, value] : info.facts) {
    if (key == fact::kCgroup.text) {
      cgroups[path_of(value)].insert(value.substr(0, value.find(' ')));
    } else if (key == fact::kCounter.text) {
      ++counters;
    } else if (key == fact::kGroupsChange.text) {
      continue;  // summed up below
    } else if (key == fact::kReading.text) {
      readings += static_cast<std::size_t>(std::ranges::count(value, '='));
    } else {
      line(fmt::format("{:<12} {}", key, value));
    }
  }
  for (const std::string& text : group_times_text(GroupTimes(info.facts), info.begin, info.end))
    show("group", text);
  for (const auto& [path, processes] : cgroups)
    line(fmt::format("{:<12} {}: {}", "cgroup", path,
                     counted(processes.size(), "process", "processes")));
  if (counters != 0)
    show("counters",
         fmt::format("{}, {}", grouped(counters), counted(readings, "value", "values")));
}

// Of a thing that has events of its own, too; bits 7:4 hold the length.
bool is_name_entry(EventNum number) {
  constexpr std::array kNames = {kind::kFILE_NAME,    kind::kPID_NAME,       kind::kMETHOD_NAME,
                                 kind::kTRAP_NAME,    kind::kIRQ_NAME,       kind::kLOCK_NAME,
                                 kind::kSYSCALL_NAME, kind::kSYSCALL32_NAME, kind::kERRNO_NAME,
                                 kind::kPACKET_NAME,  kind::kQUEUE_NAME,     kind::kRESOURCE_NAME};
  return event_class(number) == EventClass::kName &&
         std::ranges::find(kNames, number & ~0xf0u) != kNames.end();
}

void events(const TraceInfo& info, const LineSink& line) {
  using Row = std::pair<std::uint16_t, std::uint64_t>;
  std::vector<Row> rows(info.by_event.begin(), info.by_event.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.second > b.second; });
  line("");
  line("     entries  event  name");
  for (const auto& [number, count] : rows) {
    const auto name = info.event_names.find(number);
    line(fmt::format("{:>12}    {:03x}  {}{}", grouped(count), number,
                     name == info.event_names.end() ? "" : name->second,
                     is_name_entry(number) ? " (name entry)" : ""));
  }
}

void loss_line(const LossRecord& loss, const LineSink& line) {
  const bool unknown = loss.entries == ~std::uint64_t{0};
  line(fmt::format(
      "loss         CPU {} from {} s to {} s: {}, {}", loss.cpu, seconds(loss.begin),
      seconds(loss.end),
      unknown ? "an unknown number of entries" : counted(loss.entries, "entry", "entries"),
      loss_reason_name(loss.reason)));
}

// Those that are not listed one by one, by reason.
void more_losses(std::span<const LossRecord> losses, const LineSink& line) {
  struct Sum {
    std::uint64_t count = 0;
    Ns time = 0;
  };
  std::map<std::string_view, Sum> sums;
  for (const LossRecord& loss : losses) {
    Sum& sum = sums[loss_reason_name(loss.reason)];
    ++sum.count;
    sum.time += loss.end - loss.begin;
  }
  for (const auto& [reason, sum] : sums) {
    line(
        fmt::format("loss         and {} more of {} s together, {}: see kutrace dump --stage spans",
                    grouped(sum.count), seconds(sum.time), reason));
  }
}

void losses(const TraceInfo& info, const LineSink& line) {
  line("");
  if (info.losses.empty()) line("losses       none");
  const std::span all(info.losses);
  const std::size_t listed = std::min(all.size(), kShownLosses);
  for (const LossRecord& loss : all.first(listed)) loss_line(loss, line);
  more_losses(all.subspan(listed), line);
  for (const Severity severity : {Severity::kDamage, Severity::kRepair, Severity::kNote}) {
    for (const auto& [name, count] : info.counters.named(severity)) {
      line(fmt::format("{:<12} {} {}", severity_name(severity), name, grouped(count)));
    }
  }
}

void threads(const TraceInfo& info, const NameTable& names, const LineSink& line) {
  line("");
  line(fmt::format("threads      {}", info.threads.size()));
  std::size_t shown = 0;
  for (const auto& [pid, thread] : info.threads) {
    if (++shown > kShownNames) {
      line(fmt::format("  and {} more", info.threads.size() - kShownNames));
      return;
    }
    line(fmt::format("  {:>7} {}{}{}{}", pid, names.text(thread.name),
                     thread.kernel_thread ? " (kernel)" : "", thread.recorder ? " (recorder)" : "",
                     thread.command ? " (command)" : ""));
  }
}

}  // namespace

void info_text(const TraceInfo& info, const NameTable& names, const LineSink& line) {
  recording(info, line);
  losses(info, line);
  events(info, line);
  threads(info, names, line);
}

}  // namespace kutrace::emit
