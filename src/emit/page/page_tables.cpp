// SPDX-License-Identifier: BSD-3-Clause
// The page's dictionaries, see page_tables.h.
#include "emit/page/page_tables.h"

#include "format/event_table.h"

namespace kutrace::emit {

PageThreads::PageThreads() {
  index(0);
  index(kNoPid);
}

ThreadIndex PageThreads::add_thread(Pid pid, std::uint32_t number) {
  const auto index = static_cast<ThreadIndex>(threads_.size());
  threads_.push_back(PageThread{.pid = pid});
  numbers_.push_back(number);
  if (number == holders_.size()) holders_.emplace_back();
  holders_[number] = index;
  return index;
}

// Another thread has the number now, unless this is said late of one that had it before.
ThreadIndex PageThreads::index_of_other(Pid pid, ThreadId thread) {
  const ThreadIndex now = holder(pid);
  if (threads_[now].thread == ThreadId::kNone) {
    threads_[now].thread = thread;
    return now;
  }
  if (const auto found = former_.find({pid, thread}); found != former_.end()) return found->second;
  former_.emplace(std::pair(pid, threads_[now].thread), now);
  const ThreadIndex index = add_thread(pid, numbers_[now]);
  threads_[index].thread = thread;
  return index;
}

void PageThreads::add(const ThreadLife& life) {
  PageThread& thread = at(index(life.pid, life.thread));
  thread.name = life.name;
  thread.begin = life.begin;
  thread.end = life.end;
}

KindIndex KindTable::index(const Span& span, ThreadIndex thread) {
  const bool names_thread = kind_names_thread(span.kind);
  const std::uint64_t key_thread = names_thread ? thread + 1 : 0;
  const auto [number, added] =
      indices_.find_or_add({(std::uint64_t{narrow_event(span.event)} << 32) | span.name,
                            (key_thread << 8) | static_cast<std::uint64_t>(span.kind)});
  if (added) {
    kinds_.push_back(PageKind{.kind = span.kind,
                              .event = narrow_event(span.event),
                              .name = span.name,
                              .thread = names_thread ? thread : kNoThread,
                              .names_thread = names_thread});
  }
  return number;
}

}  // namespace kutrace::emit
