// SPDX-License-Identifier: BSD-3-Clause
// Threads that belong together. In: the lives of threads, and which of them are asked for; out:
// these, all threads of the processes that are asked for and, if wanted, of their children's.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "filters/chosen_threads.h"
#include "filters/group_pieces.h"
#include "format/facts.h"
#include "model/call.h"

namespace kutrace::filters {

struct FamilyQuestion {
  std::unordered_set<Pid> numbers;  // of threads, and of processes: all that had one of them
  // Whether a thread had a name that was asked for. The thread that has a process's number stands
  // for the process.
  std::function<bool(const ThreadLife&)> named;
  bool children = false;
  // Whether a process of this control group is asked for, where any is; `facts` tell of them.
  std::function<bool(const std::string&)> in_cgroup = {};
  Facts facts = {};
  // Of threads in pieces, those are chosen that were in such a group; null: all are whole.
  const GroupPieces* pieces = nullptr;
};

ChosenThreads family_of(const std::vector<ThreadLife>& lives, const FamilyQuestion& question);

}  // namespace kutrace::filters
