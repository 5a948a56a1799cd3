// SPDX-License-Identifier: BSD-3-Clause
// Giving numbers to threads.
#include "read/chrome/chrome_threads.h"

#include <algorithm>

#include "base/number_text.h"

namespace kutrace::read {

namespace {

// kNoPid: no thread can have it.
Pid number_in(std::string_view text) {
  const auto number = parse_number<Pid>(text);
  return number && *number > 0 && *number < ChromeThreads::kFirstMadeUp ? *number : kNoPid;
}

}  // namespace

void ChromeThreads::Thread::does(Ns from, Ns to) {
  first = any ? std::min(first, from) : from;
  last = any ? std::max(last, to) : to;
  any = true;
}

std::size_t ChromeThreads::process_of(std::string_view process) {
  const auto [known, is_new] = process_index_.try_emplace(process, processes_.size());
  if (!is_new) return known->second;
  Pid pid = number_in(process);
  const bool is_free = pid != kNoPid && process_of_number_.try_emplace(pid, known->second).second;
  if (!is_free) process_of_number_.emplace(pid = made_up(), known->second);
  processes_.push_back({pid, {}});
  return known->second;
}

std::size_t ChromeThreads::thread_of(std::string_view process, std::string_view thread) {
  if (thread.empty()) thread = process;
  const std::size_t owner = process_of(process);
  const auto [known, is_new] = thread_index_.try_emplace({owner, thread}, threads_.size());
  if (!is_new) return known->second;
  // A process's first thread has its number, whatever that is.
  Pid pid = thread == process ? processes_[owner].pid : number_in(thread);
  const auto of_process = process_of_number_.find(pid);
  const bool is_free = pid != kNoPid &&
                       (of_process == process_of_number_.end() || of_process->second == owner) &&
                       thread_of_number_.try_emplace(pid, known->second).second;
  if (!is_free) thread_of_number_.emplace(pid = made_up(), known->second);
  Thread& added = threads_.emplace_back();
  added.pid = pid;
  added.process = owner;
  return known->second;
}

}  // namespace kutrace::read
