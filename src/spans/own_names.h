// SPDX-License-Identifier: BSD-3-Clause
// Names that programs give to numbers of their own: locks, queues, RPC methods. In: which process
// each thread belongs to, and the names; out: what a thread calls a number. Nobody renames
// another's: a thread sees the names of its own process, then those of the processes that it comes
// from. An RPC has two ends, so a method that neither names has the first name that anybody gave
// it. Where a process shares its parent's memory, the tables in which programs keep which names
// they have told are the same, and so are the names.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/units.h"
#include "format/process_line.h"
#include "model/names.h"

namespace kutrace::spans {

class OwnNames {
 public:
  void belongs(Pid thread, Pid process, Pid parent);
  // A process has the memory of another; it has begun a program in memory of its own.
  void shares(Pid process, Pid other);
  void shares_no_more(Pid thread);
  bool any_shares() const { return !memory_of_.empty(); }
  void define(Pid thread, EventNum of, std::uint32_t item, NameId name);
  // kNoName if nobody who counts named it.
  NameId find(Pid thread, EventNum of, std::uint32_t item) const;

 private:
  using Item = std::pair<EventNum, std::uint32_t>;
  Pid memory_of(Pid process) const;

  ProcessLine line_;
  std::unordered_map<Pid, Pid> memory_of_;  // a process by that whose names it has
  std::map<std::pair<Pid, Item>, NameId> names_;
  std::map<Item, NameId> first_;
};

}  // namespace kutrace::spans
