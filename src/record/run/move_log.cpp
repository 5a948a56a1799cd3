// SPDX-License-Identifier: BSD-3-Clause
// Keeps records.
#include "record/run/move_log.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>

#include "record/proc/proc_folder.h"

namespace kutrace::record {

void MoveLog::look(const std::function<Ticks()>& at, bool with_new) {
  std::ranges::move(groups_.changes(at, with_new), std::back_inserter(records_));
}

void MoveLog::add(const std::vector<CgroupRecord>& moves, Ticks begin, Ticks end) {
  for (const CgroupRecord& move : moves) {
    std::vector<CgroupRecord> told = groups_.moved(move);
    if (move.at >= begin && move.at <= end) std::ranges::move(told, std::back_inserter(records_));
  }
}

// Of what is older, a process that runs, or did when it was looked last, needs the newest.
void MoveLog::forget_before(Ticks oldest, Ticks now) {
  if (records_.size() < forget_at_) return;
  const std::vector<Pid> running = numbers_in("/proc");
  const std::set<Pid> there(running.begin(), running.end());
  std::erase_if(gone_, [&](const auto& gone) { return there.contains(gone.first); });
  std::set<Pid> told;
  std::vector<CgroupRecord> kept;
  for (CgroupRecord& record : std::views::reverse(records_)) {
    if (!there.contains(record.process)) gone_.try_emplace(record.process, now);
    const auto gone = gone_.find(record.process);
    const bool is_over = gone != gone_.end() && gone->second < oldest;
    const bool is_older = record.at < oldest;
    if (is_older && (is_over || !told.insert(record.process).second)) continue;
    kept.push_back(std::move(record));
  }
  std::ranges::reverse(kept);
  records_ = std::move(kept);
  std::erase_if(gone_, [&](const auto& gone) { return gone.second < oldest; });
  forget_at_ = 10'000 + 2 * records_.size();
}

}  // namespace kutrace::record
