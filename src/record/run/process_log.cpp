// SPDX-License-Identifier: BSD-3-Clause
// Changes in order of time.
#include "record/run/process_log.h"

#include <algorithm>

#include "base/number_text.h"
#include "base/text.h"

namespace kutrace::record {

namespace {

constexpr const char* kExample = "kutrace control pids +1234 -99";

Result<std::vector<std::uint32_t>> to_processes(const std::vector<std::string>& words) {
  std::vector<std::uint32_t> processes;
  for (const std::string& word : words) {
    const auto process = parse_number<std::uint32_t>(word);
    if (!process)
      return fail(usage_error("'" + printable(word) + "' is not a process").with_hint(kExample));
    processes.push_back(*process);
  }
  return processes;
}

// These, and what is theirs because they started it.
std::vector<std::uint32_t> with_children(const std::vector<std::uint32_t>& processes) {
  ThreadFilter followed;
  followed.follow = true;
  return passing_processes(followed, processes);
}

}  // namespace

Status ProcessLog::change(const std::vector<std::string>& words, Source& source) {
  KUTRACE_ASSIGN(const SignedWords wishes, parse_signed_words(words, "PID", kExample));
  KUTRACE_ASSIGN(std::vector<std::uint32_t> removed, to_processes(wishes.removed));
  KUTRACE_ASSIGN(const std::vector<std::uint32_t> added, to_processes(wishes.added));
  if (words.empty()) return {};
  if (!is_by_process_)
    return fail(usage_error("it does not record by process")
                    .with_hint("begin with some: kutrace control go --pid 1234"));
  ThreadFilter next = filter_;
  const auto is_removed = [&](std::uint32_t process) {
    return std::ranges::find(removed, process) != removed.end();
  };
  std::erase_if(next.processes, is_removed);
  next.processes.insert(next.processes.end(), added.begin(), added.end());
  std::ranges::sort(next.processes);
  next.processes.erase(std::ranges::unique(next.processes).begin(), next.processes.end());
  ThreadFilter more;
  more.processes = added;
  KUTRACE_TRY(check_filter(more));
  // Removed first: of one that is both, the wish to record it holds.
  if (filter_.follow) removed = with_children(removed);
  KUTRACE_TRY(source.tell_processes(removed, 0));
  KUTRACE_TRY(source.tell_processes(added, KUTRACE_PROCESS_NAMED));
  if (filter_.follow)
    KUTRACE_TRY(source.tell_processes(with_children(added), KUTRACE_PROCESS_FOLLOWED));
  filter_ = std::move(next);
  changes_.add(source.now(), words);
  return {};
}

std::string ProcessLog::text() const {
  if (is_by_process_ && filter_.processes.empty()) return "no process";
  return filter_.is_set() ? filter_.text() : "every process";
}

void ProcessLog::add_to(NameEntries& names, Ticks zero, TickRate rate) const {
  changes_.add_to(names, fact::kProcessesChange, zero, rate);
}

}  // namespace kutrace::record
