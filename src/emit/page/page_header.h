// SPDX-License-Identifier: BSD-3-Clause
// The page's header: everything about a trace that is not a span, as JSON (doc/page-format.md).
#pragma once

#include <string>
#include <vector>

#include "emit/page/lod.h"
#include "emit/page/page_objects.h"
#include "emit/page/page_tables.h"
#include "emit/page/slab.h"
#include "model/trace_info.h"

namespace kutrace::emit {

struct PageParts {
  const std::string& title;
  const PageThreads& threads;
  const Overview& thread_totals;
  const KindTable& kinds;
  const KindTotals& totals;
  const ObjectTable& objects;
  const std::vector<SlabRow>& slabs;
  const SlabRow& overview;  // sizes and checksum only
  bool overview_has_ipc;
  const SlabRow& long_overlays;
  const SlabRow* far;         // null: there is none
  const SlabRow* sums;        // as well
  const SlabRow* files;       // as well
  const SlabRow* backtraces;  // as well
  const SlabRow* runs;        // as well
  const std::vector<SlabRun>& slabs_of_runs;
  std::uint64_t spans;
  bool calls;                   // whether the trace has calls
  bool stacks;                  // and which was made in which can be told from their times
  bool without_births = false;  // of sums of calls, see reports::is_birth
};

std::string page_header(const PageParts& parts, const TraceInfo& info, const NameTable& names);

}  // namespace kutrace::emit
