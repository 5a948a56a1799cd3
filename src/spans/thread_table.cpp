// SPDX-License-Identifier: BSD-3-Clause
// Threads by pid.
#include "spans/thread_table.h"

#include <algorithm>

#include "format/event_table.h"

namespace kutrace::spans {

ThreadTable::ThreadTable(NameId idle_name) : idle_name_(idle_name) { set_name(0, idle_name); }

void ThreadTable::set_bottom(Pid pid, Thread& thread) {
  Frame& bottom = thread.stack.bottom();
  bottom.call = ev::kUSER;
  bottom.level = Level::kUser;
  bottom.name = thread.info.name;
  if (pid != 0) bottom.kind = thread.info.kernel_thread ? SpanKind::kKernelThread : SpanKind::kUser;
  if (pid == 0) bottom.kind = SpanKind::kIdle;
}

void ThreadTable::set_life(Pid pid, Thread& thread) {
  thread.life.thread = ThreadId{++last_id_};
  thread.life.pid = pid;
}

// Numbers beyond Linux's own, which only other systems and damaged traces have, come here again.
Thread& ThreadTable::add(Pid pid) {
  const auto [place, is_new] = threads_.try_emplace(pid);
  Thread& thread = place->second;
  if (is_new) {
    set_bottom(pid, thread);
    set_life(pid, thread);
  }
  if (is_linux_number(pid)) {
    auto& chunk = chunks_[static_cast<std::size_t>(pid / kOfChunk)];
    if (chunk == nullptr) chunk = std::make_unique<Chunk>();
    (*chunk)[static_cast<std::size_t>(pid % kOfChunk)] = &thread;
  }
  return thread;
}

Thread* ThreadTable::find(Pid pid) {
  if (is_linux_number(pid)) return place_of(pid);
  const auto found = threads_.find(pid);
  return found == threads_.end() ? nullptr : &found->second;
}

std::vector<std::pair<Pid, const ThreadInfo*>> ThreadTable::known() const {
  std::vector<std::pair<Pid, const ThreadInfo*>> known;
  known.reserve(threads_.size());
  for (const auto& [pid, thread] : threads_) known.emplace_back(pid, &thread.info);
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
  set_bottom(pid, thread);
  set_life(pid, thread);
  return thread;
}

void ThreadTable::set_name(Pid pid, NameId name) {
  Thread& thread = get(pid);
  thread.info.name = pid == 0 ? idle_name_ : name;
  set_bottom(pid, thread);
}

void ThreadTable::set_kernel_thread(Pid pid, bool kernel_thread) {
  Thread& thread = get(pid);
  thread.info.kernel_thread = kernel_thread;
  set_bottom(pid, thread);
}

}  // namespace kutrace::spans
