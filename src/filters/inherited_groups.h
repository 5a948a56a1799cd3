// SPDX-License-Identifier: BSD-3-Clause
// Control groups that processes have of parents which are left out. In: all lives, and which of
// them stay; out: facts that tell the group of each process that stays, where no fact did.
#pragma once

#include <unordered_set>

#include "model/call.h"
#include "model/processes.h"
#include "model/trace_info.h"

namespace kutrace::filters {

class InheritedGroups {
 public:
  void life(const ThreadLife& life, bool stays);
  // After the last life.
  void add_to(Facts& facts);

 private:
  Processes processes_;
  std::unordered_set<ThreadId> staying_;
  bool is_any_left_out_ = false;
};

}  // namespace kutrace::filters
