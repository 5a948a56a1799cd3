// SPDX-License-Identifier: BSD-3-Clause
// Names that programs gave to numbers of their own, up to a moment. In: which process each thread
// belongs to, and the names; out: what must be told by a thread that goes on from there. Nobody
// renames another's: a process has its own names, then those of the processes that it comes from,
// and of a method that none of them named, the first name that anybody gave it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/units.h"
#include "format/name_entries.h"
#include "format/process_line.h"

namespace kutrace::raw {

// Whether programs give names of this kind.
bool is_given_name(EventNum kind);

class GivenNames {
 public:
  void belongs(Pid thread, Pid process, Pid parent) { line_.belongs(thread, process, parent); }
  Pid process_of(Pid thread) const { return line_.process_of(thread); }
  // The entry has its length.
  void define(Pid thread, LooseEntry name);

  // Entries by which the thread says all names that its process sees.
  std::vector<LooseEntry> seen_by(Pid thread) const;
  // The first name of each method, which holds for all.
  std::vector<LooseEntry> first_of_methods() const;

 private:
  using Item = std::pair<EventNum, std::uint32_t>;
  using Names = std::map<Item, LooseEntry>;

  ProcessLine line_;
  std::map<Pid, Names> names_;  // by process
  Names first_;                 // of methods
};

}  // namespace kutrace::raw
