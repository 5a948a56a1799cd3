// SPDX-License-Identifier: BSD-3-Clause
// Changes in order of time.
#include "record/run/process_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <string_view>

#include "base/number_text.h"
#include "base/text.h"

namespace kutrace::record {

namespace {

struct Wishes {
  std::vector<std::uint32_t> added;
  std::vector<std::uint32_t> removed;
};

Result<Wishes> parse_wishes(const std::vector<std::string>& words) {
  Wishes wishes;
  for (const std::string& word : words) {
    const char sign = word.empty() ? ' ' : word.front();
    if (sign != '+' && sign != '-')
      return fail(usage_error("'" + printable(word) + "' is neither +PID nor -PID")
                      .with_hint("kutrace control pids +1234 -99"));
    for (const auto part : std::views::split(std::string_view(word).substr(1), ',')) {
      const std::string_view text(part);
      const auto process = parse_number<std::uint32_t>(text);
      if (!process)
        return fail(usage_error("'" + printable(text) + "' is not a process")
                        .with_hint("kutrace control pids +1234 -99"));
      (sign == '+' ? wishes.added : wishes.removed).push_back(*process);
    }
  }
  return wishes;
}

// These, and what is theirs because they started it.
std::vector<std::uint32_t> with_children(const std::vector<std::uint32_t>& processes) {
  ThreadFilter followed;
  followed.follow = true;
  return passing_processes(followed, processes);
}

}  // namespace

Status ProcessLog::change(const std::vector<std::string>& words, Source& source) {
  KUTRACE_ASSIGN(Wishes wishes, parse_wishes(words));
  if (words.empty()) return {};
  if (!is_by_process_)
    return fail(usage_error("it does not record by process")
                    .with_hint("begin with some: kutrace control go --pid 1234"));
  ThreadFilter next = filter_;
  const auto is_removed = [&](std::uint32_t process) {
    return std::ranges::find(wishes.removed, process) != wishes.removed.end();
  };
  std::erase_if(next.processes, is_removed);
  next.processes.insert(next.processes.end(), wishes.added.begin(), wishes.added.end());
  std::ranges::sort(next.processes);
  next.processes.erase(std::ranges::unique(next.processes).begin(), next.processes.end());
  ThreadFilter added;
  added.processes = wishes.added;
  KUTRACE_TRY(check_filter(added));
  // Removed first: of one that is both, the wish to record it holds.
  if (filter_.follow) wishes.removed = with_children(wishes.removed);
  KUTRACE_TRY(source.tell_processes(wishes.removed, 0));
  KUTRACE_TRY(source.tell_processes(wishes.added, KUTRACE_PROCESS_NAMED));
  if (filter_.follow)
    KUTRACE_TRY(source.tell_processes(with_children(wishes.added), KUTRACE_PROCESS_FOLLOWED));
  filter_ = std::move(next);
  changes_.push_back({source.now(), words});
  return {};
}

std::string ProcessLog::text() const {
  if (is_by_process_ && filter_.processes.empty()) return "no process";
  return filter_.is_set() ? filter_.text() : "every process";
}

void ProcessLog::add_to(NameEntries& names, Ticks zero, TickRate rate) const {
  for (const Change& change : changes_)
    if (change.at > zero)
      names.add(fact::kProcessesChange,
                fmt::format("{} {}", static_cast<Ns>(rate.ns(change.at - zero)),
                            fmt::join(change.words, " ")));
}

}  // namespace kutrace::record
