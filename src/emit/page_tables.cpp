// SPDX-License-Identifier: BSD-3-Clause
// The page's dictionaries, see page_tables.h.
#include "emit/page_tables.h"

#include <algorithm>

namespace kutrace {

ThreadTable::ThreadTable() {
  index(0);
  index(kNoPid);
}

ThreadIndex ThreadTable::index(Pid pid) {
  const auto [found, added] = indices_.try_emplace(pid, static_cast<ThreadIndex>(threads_.size()));
  if (added) threads_.push_back(PageThread{.pid = pid});
  return found->second;
}

KindIndex KindTable::find_or_add(const Span& span, ThreadIndex thread, const Key& key) {
  const auto [found, added] = indices_.try_emplace(key, static_cast<KindIndex>(kinds_.size()));
  if (added) {
    const bool names_thread = kind_names_thread(span.kind);
    kinds_.push_back(PageKind{.kind = span.kind,
                              .event = span.event,
                              .name = span.name,
                              .thread = names_thread ? thread : kNoThread,
                              .names_thread = names_thread});
  }
  return found->second;
}

KindIndex KindTable::index(const Span& span, ThreadIndex thread) {
  const std::uint64_t key_thread = kind_names_thread(span.kind) ? thread + 1 : 0;
  const Key key{(std::uint64_t{span.event} << 32) | span.name,
                (key_thread << 8) | static_cast<std::uint64_t>(span.kind)};
  Recent& recent = recent_[Hash{}(key) >> 32 & (kRecent - 1)];
  if (recent.key != key) recent = {key, find_or_add(span, thread, key)};
  PageKind& kind = kinds_[recent.index];
  kind.count++;
  kind.total += span.duration;
  kind.shortest = std::min(kind.shortest, span.duration);
  kind.longest = std::max(kind.longest, span.duration);
  return recent.index;
}

}  // namespace kutrace
