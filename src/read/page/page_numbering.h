// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a page as those of its reader. In: what the header lists, and the reader's table of
// names; out: names, threads and kinds with the table's numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/names.h"
#include "read/page/page_facts.h"
#include "read/page/slab_columns.h"

namespace kutrace::read {

class PageNumbering {
 public:
  PageNumbering(const PageFacts& facts, NameTable& names) {
    for (const std::string& name : facts.names) ids_.push_back(names.intern(name));
  }
  // All that is known without a span.
  TraceInfo info(const PageFacts& facts, const Counters& opened) const {
    TraceInfo info = facts.info;
    threads(facts.threads, info);
    threads(facts.idle_threads, info);
    info.counters.add(opened);
    return info;
  }
  std::vector<NameId> names_of(const std::vector<PageThreadFacts>& rows) const {
    std::vector<NameId> names;
    for (const PageThreadFacts& row : rows) names.push_back(ids_[row.name]);
    return names;
  }
  PageTables tables(const PageFacts& facts) const {
    PageTables tables;
    for (const PageKindFacts& row : facts.kinds) {
      Span span;
      span.kind = row.kind;
      span.event = row.event;
      span.name = ids_[row.name];
      tables.kinds.push_back(span);
      tables.sums.push_back(row.sums);
      tables.owners.push_back(row.names_thread ? std::optional(row.thread) : std::nullopt);
    }
    for (const PageThreadFacts& row : facts.threads) {
      const auto number = static_cast<ThreadIndex>(tables.pids.size());
      const ThreadIndex first = row.first == kNoThread ? number : row.first;
      tables.ids.push_back(number <= kNoThread ? ThreadId::kNone : ThreadId{first});
      tables.pids.push_back(row.pid);
      tables.processes.push_back(row.info.process != kNoPid ? row.info.process : row.pid);
    }
    return tables;
  }

 private:
  void threads(const std::vector<PageThreadFacts>& rows, TraceInfo& info) const {
    for (const PageThreadFacts& row : rows) {
      if (!row.known) continue;
      ThreadInfo& thread = info.threads[row.pid];
      thread = row.info;
      thread.name = ids_[row.name];
    }
  }

  std::vector<NameId> ids_;
};

}  // namespace kutrace::read
