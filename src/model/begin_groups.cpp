// SPDX-License-Identifier: BSD-3-Clause
// Adding facts.
#include "model/begin_groups.h"

#include <algorithm>

#include "model/cgroups.h"

namespace kutrace {

void BeginGroups::begin(const TraceInfo& known) {
  may_have_moves_ = may_have_moves(known);
  SpanStage::begin(known);
}

void BeginGroups::life(const ThreadLife& life) {
  if (may_have_moves_) processes_.add(life);
  SpanStage::life(life);
}

void BeginGroups::end(TraceInfo& info) {
  if (may_have_moves_) {
    processes_.finish();
    const Cgroups cgroups(processes_, info.facts);
    const bool has_any_moved = std::ranges::any_of(processes_.all(), [&](const Process& process) {
      return !cgroups.moves(process.id).empty();
    });
    for (const Process& process : processes_.all())
      if (has_any_moved && cgroups.is_inherited(process.id))
        info.facts.add(fact::kCgroup,
                       text_of({process.number, process.begin, cgroups.at_begin(process.id)}));
  }
  SpanStage::end(info);
}

}  // namespace kutrace
