// SPDX-License-Identifier: BSD-3-Clause
// Numbers to sentences; a loss or a difference is a warning.
#include "record/run/summary_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/counted.h"
#include "base/text.h"
#include "format/unseen.h"

namespace kutrace::record {

namespace {

// Below it, what nobody can change is told without a warning.
constexpr double kPercentThatMatters = 1;

// As the recorder and the daemon call them.
constexpr auto kLimits = std::to_array<std::string_view>(
    {"--duration", "--max-size", "the buffer is full", "the administrator's limit of time"});

void say(std::vector<Note>& notes, std::string text) { notes.push_back({false, std::move(text)}); }
void warn(std::vector<Note>& notes, std::string text) { notes.push_back({true, std::move(text)}); }

void tell_losses(const Summary& summary, std::vector<Note>& notes) {
  const bool lost = summary.lost != 0 || summary.uncounted_losses != 0;
  if (!lost)
    say(notes, summary.unseen_switches == 0 ? "nothing lost"
                                            : "nothing lost of what this kernel shows to tracers");
  if (summary.unseen_switches != 0)
    notes.push_back(
        {summary.unseen_percent >= kPercentThatMatters,
         fmt::format(
             "{}: for {:.2f} % of the CPUs' time threads ran that this "
             "machine hides from tracers, with the interrupts and wakeups of that time; the "
             "trace says when",
             counted(summary.unseen_switches, "unseen switch", "unseen switches"),
             summary.unseen_percent)});
  if (summary.lost != 0)
    warn(notes,
         fmt::format("{} lost; the trace says where", counted(summary.lost, "entry", "entries")));
  if (summary.uncounted_losses != 0)
    warn(notes, fmt::format("{} a CPU was not recorded; the trace says when",
                            counted(summary.uncounted_losses, "time", "times")));
  if (!summary.skipped_runs.empty())
    warn(notes, fmt::format("of these the kernel skipped runs of hooks: {}",
                            fmt::join(summary.skipped_runs, ", ")));
}

}  // namespace

std::vector<Note> start_text(const StartNotes& start) {
  std::vector<Note> notes;
  std::vector<std::string> lacking = start.lacking;
  if (!start.why_ebpf.empty()) say(notes, fmt::format("source: ebpf instead ({})", start.why_ebpf));
  const auto [refused, end] = std::ranges::stable_partition(
      lacking, [](const std::string& what) { return !what.ends_with(kNotAllowed); });
  const std::ranges::subrange unknown(lacking.begin(), refused);
  if (!unknown.empty()) say(notes, fmt::format("not seen here: {}", fmt::join(unknown, "; ")));
  for (const std::string& what : std::ranges::subrange(refused, end))
    warn(notes, "not seen: " + what);
  if (start.other_recorders != 0)
    say(notes,
        fmt::format("recorders that run already: {}; each sees everything, and an event costs "
                    "what all of them do, this one's own cost being one part",
                    start.other_recorders));
  return notes;
}

bool was_cut(const Summary& summary) {
  return !summary.ended_by.empty() && std::ranges::find(kLimits, summary.ended_by) == kLimits.end();
}

std::vector<Note> summary_text(const Summary& summary, const std::string& path) {
  std::vector<Note> notes;
  const double seconds = summary.kept_seconds > 0 ? summary.kept_seconds : 1e-9;
  for (const auto& [cpu, events] : summary.tally.by_cpu)
    say(notes,
        fmt::format("CPU {}: {}, {} per second", cpu, counted(events, "event", "events"),
                    grouped(static_cast<std::uint64_t>(static_cast<double>(events) / seconds))));
  tell_losses(summary, notes);
  if (!summary.vain_filter.empty())
    warn(notes, fmt::format("no thread ran that the filter lets pass ({}): the file has nothing of "
                            "programs",
                            printable(summary.vain_filter)));
  for (const CountComparison& count : summary.self_check)
    if (count.differs())
      notes.push_back({count.percent() >= kPercentThatMatters,
                       fmt::format("{}: recorded {}, the kernel counted {}", count.name,
                                   grouped(count.recorded), grouped(count.kernel))});
  for (const std::string& line : summary.missed) say(notes, "not seen: " + line);
  if (!summary.ended_by.empty())
    notes.push_back({was_cut(summary), "recording ended: " + printable(summary.ended_by)});
  say(notes,
      "own cost: " + summary.cost.text() +
          (summary.cost_percent ? fmt::format(", {:.2f} % of the time of {}", *summary.cost_percent,
                                              counted(summary.cpus, "CPU", "CPUs"))
                                : std::string()));
  if (summary.leaves_filter && !summary.failure)
    say(notes, "events are those of all threads; the file has the threads that were asked for");
  const std::string seconds_text =
      summary.kept_seconds < summary.seconds
          ? fmt::format("the last {:.3f} of {:.3f} s", summary.kept_seconds, summary.seconds)
          : fmt::format("{:.3f} s", summary.seconds);
  say(notes, fmt::format("{}: {} in {}, {}", printable(path),
                         counted(summary.tally.transitions, "event", "events"), seconds_text,
                         byte_size(summary.bytes)));
  return notes;
}

}  // namespace kutrace::record
