// SPDX-License-Identifier: BSD-3-Clause
// Rows for those that have a number after another.
#include "model/thread_rows.h"

namespace kutrace {

std::uint32_t ThreadRows::add(Pid pid) {
  const auto number = static_cast<std::uint32_t>(holders_.size());
  (*numbers_)[pid] = number + 1;
  holders_.emplace_back();
  return add(pid, number);
}

std::uint32_t ThreadRows::add(Pid pid, std::uint32_t number) {
  const auto index = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back({.pid = pid, .number = number});
  holders_[number] = index;
  return index;
}

std::uint32_t ThreadRows::index_of(Pid pid, ThreadId thread) {
  const std::uint32_t now = holder(pid);
  const std::uint32_t index = rows_[now].thread == thread ? now : index_of_other(pid, thread);
  const auto id = static_cast<std::size_t>(thread);
  if (id >= last_.size()) last_.resize(id + 1);
  last_[id] = index;
  return index;
}

// Another thread has the number now, unless this is said late of one that had it before.
std::uint32_t ThreadRows::index_of_other(Pid pid, ThreadId thread) {
  const std::uint32_t now = holder(pid);
  if (rows_[now].thread == ThreadId::kNone) {
    rows_[now].thread = thread;
    return now;
  }
  if (const auto found = former_.find({pid, thread}); found != former_.end()) return found->second;
  former_.emplace(std::pair(pid, rows_[now].thread), now);
  const std::uint32_t index = add(pid, rows_[now].number);
  rows_[index].thread = thread;
  return index;
}

}  // namespace kutrace
