// SPDX-License-Identifier: BSD-3-Clause
// The page's dictionaries, see page_tables.h.
#include "emit/page/page_tables.h"

namespace kutrace::emit {

PageThreads::PageThreads() {
  index(0);
  index(kNoPid);
}

void PageThreads::add(const ThreadLife& life) {
  PageThread& thread = at(index(life.pid, life.thread));
  thread.name = life.name;
  thread.process = life.process;
  thread.parent = life.parent;
  thread.begin = life.begin;
  thread.end = life.end;
}

std::vector<ThreadIndex> PageThreads::firsts() const {
  std::vector<ThreadIndex> firsts;
  firsts.reserve(threads_.size());
  std::vector<ThreadIndex> known;  // by thread, whose ids are dense: + 1
  for (ThreadIndex i = 0; i < threads_.size(); ++i) {
    const auto thread = static_cast<std::size_t>(rows_.at(i).thread);
    if (thread >= known.size()) known.resize(thread + 1);
    if (known[thread] == 0) known[thread] = i + 1;
    firsts.push_back(rows_.at(i).thread == ThreadId::kNone ? i : known[thread] - 1);
  }
  return firsts;
}

KindIndex KindTable::look_up(const Span& span, ThreadIndex thread, std::vector<KindIndex>& nearest,
                             std::size_t place) {
  const bool names_thread = kind_names_thread(span.kind);
  const EventNum event = narrow_event(span.event);
  const std::uint64_t key_thread = names_thread ? thread + 1 : 0;
  const Key key{(std::uint64_t{event} << 32) | span.name,
                (key_thread << 8) | static_cast<std::uint64_t>(span.kind)};
  const auto [found, added] = indices_.try_emplace(key, static_cast<KindIndex>(kinds_.size()));
  if (added) {
    kinds_.push_back(PageKind{.kind = span.kind,
                              .event = event,
                              .name = span.name,
                              .thread = names_thread ? thread : kNoThread,
                              .names_thread = names_thread});
  }
  if (place >= nearest.size()) nearest.resize(place + 1, kNone);
  return nearest[place] = found->second;
}

}  // namespace kutrace::emit
