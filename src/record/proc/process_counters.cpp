// SPDX-License-Identifier: BSD-3-Clause
// Reads /proc/PID/stat. A process that ends meanwhile is left out.
#include "record/proc/process_counters.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/number_text.h"
#include "files/small_file.h"
#include "record/proc/proc_folder.h"

namespace kutrace::record {

namespace {

std::string path_of(Pid process, const char* file) {
  return "/proc/" + std::to_string(process) + "/" + file;
}

std::optional<ProcessStat> stat_of(Pid process) {
  return parse_process_stat(files::read_line(path_of(process, "stat")));
}

// "Uid:\treal\teffective\t..."
std::optional<std::uint32_t> real_user(Pid process) {
  const std::string status = files::read_text(path_of(process, "status"));
  constexpr std::string_view kUid = "\nUid:\t";
  const std::size_t at = status.find(kUid);
  if (at == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(status).substr(at + kUid.size());
  return parse_number<std::uint32_t>(rest.substr(0, rest.find('\t')));
}

struct Candidate {
  Pid process = 0;
  std::int64_t faults = 0;  // since it was chosen last
  std::int64_t resident = 0;
};

// Moves so many of those with most of it to `chosen`.
void take_most(std::vector<Candidate>& from, std::size_t count, std::int64_t Candidate::* what,
               std::vector<Pid>& chosen) {
  std::ranges::stable_sort(from, std::ranges::greater(), what);
  count = std::min(count, from.size());
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(from[i].process);
  from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

// The name stands in brackets, and may hold brackets and blanks.
std::optional<ProcessStat> parse_process_stat(const std::string& text) {
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(close + 1));
  std::string skipped;
  const auto skip = [&](int count) {
    while (count-- > 0) words >> skipped;
  };
  ProcessStat stat;
  std::uint64_t address_space = 0;
  skip(7);  // state to flags
  words >> stat.faults;
  skip(1);  // of children that ended
  words >> stat.major_faults;
  skip(9);
  words >> stat.started >> address_space >> stat.resident;
  if (!words || address_space == 0) return std::nullopt;
  return stat;
}

bool ProcessCounters::is_wanted(Pid process) const {
  return !choice_.user || real_user(process) == choice_.user;
}

void ProcessCounters::choose() {
  std::vector<Candidate> candidates;
  std::map<Pid, std::int64_t> faults;
  chosen_.clear();
  for (const Pid process : choice_.processes)
    if (is_wanted(process)) chosen_.push_back(process);
  if (choice_.processes.empty()) {
    for (const Pid process : numbers_in("/proc")) {
      const auto stat = stat_of(process);
      if (!stat || !is_wanted(process)) continue;
      const std::int64_t all = stat->faults + stat->major_faults;
      const auto before = faults_.find(process);
      faults[process] = all;
      candidates.push_back(
          {process, before == faults_.end() ? all : all - before->second, stat->resident});
    }
  }
  faults_ = std::move(faults);
  take_most(candidates, kMost / 2, &Candidate::faults, chosen_);
  take_most(candidates, kMost / 2, &Candidate::resident, chosen_);
  if (followed_ && std::ranges::find(chosen_, *followed_) == chosen_.end())
    chosen_.push_back(*followed_);
}

void ProcessCounters::read(std::vector<Measured>& to) const {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  for (const Pid process : chosen_) {
    const auto stat = stat_of(process);
    if (!stat) continue;
    const auto add = [&](const char* name, std::string_view unit, bool is_total,
                         std::int64_t value) {
      to.push_back({name, unit, is_total, value, process, stat->started});
    };
    add("rss", kBytes, false, stat->resident * page);
    add("faults", kEvents, true, stat->faults);
    add("major_faults", kEvents, true, stat->major_faults);
  }
}

}  // namespace kutrace::record
