// SPDX-License-Identifier: BSD-3-Clause
// Threads by pid.
#include "spans/thread_table.h"

#include <algorithm>

namespace kutrace::spans {

ThreadTable::ThreadTable(NameId idle_name) : idle_name_(idle_name) { set_name(0, idle_name); }

Thread& ThreadTable::add(Pid pid) {
  Thread& thread = threads_.add();
  by_number_[pid] = &thread;
  thread.pid = pid;
  thread.id = ThreadId{++last_id_};
  return thread;
}

std::vector<std::pair<Pid, const ThreadInfo*>> ThreadTable::known() const {
  std::vector<std::pair<Pid, const ThreadInfo*>> known;
  known.reserve(threads_.size());
  for (std::size_t place = 0; place < threads_.size(); ++place) {
    known.emplace_back(threads_[place].pid, &threads_[place].info);
  }
  std::ranges::sort(known);
  return known;
}

Thread& ThreadTable::renew(Pid pid) {
  Thread& thread = get(pid);
  const ThreadInfo info = thread.info;
  const Ns free_since = thread.life.end;
  thread = Thread{};
  thread.life.end = free_since;
  thread.info = info;
  thread.called = true;
  thread.pid = pid;
  thread.id = ThreadId{++last_id_};
  return thread;
}

void ThreadTable::set_name(Pid pid, NameId name) {
  Thread& thread = get(pid);
  thread.info.name = pid == 0 ? idle_name_ : name;
}

}  // namespace kutrace::spans
