// SPDX-License-Identifier: BSD-3-Clause
// Groups of all processes to facts of some.
#include "filters/inherited_groups.h"

#include <algorithm>

#include "model/cgroups.h"

namespace kutrace::filters {

void InheritedGroups::life(const ThreadLife& life, bool stays) {
  processes_.add(life);
  if (stays) staying_.insert(life.thread);
  is_any_left_out_ = is_any_left_out_ || !stays;
}

void InheritedGroups::add_to(Facts& facts) {
  if (!is_any_left_out_ || !facts.get(fact::kCgroups).value_or(false)) return;
  processes_.finish();
  const Cgroups cgroups(processes_, facts);
  for (const Process& process : processes_.all()) {
    const bool stays = std::ranges::any_of(
        process.threads, [this](ThreadId thread) { return staying_.contains(thread); });
    if (stays && cgroups.is_inherited(process.id))
      facts.add(fact::kCgroup,
                text_of({process.number, process.begin, cgroups.at_begin(process.id)}));
  }
}

}  // namespace kutrace::filters
