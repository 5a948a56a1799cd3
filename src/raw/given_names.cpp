// SPDX-License-Identifier: BSD-3-Clause
// Names along the line of processes.
#include "raw/given_names.h"

#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::raw {

bool is_given_name(EventNum kind) {
  switch (kind) {
    case kind::kFILE_NAME:
    case kind::kMETHOD_NAME:
    case kind::kLOCK_NAME:
    case kind::kQUEUE_NAME:
    case kind::kRESOURCE_NAME:
      return true;
    default:
      return false;
  }
}

void GivenNames::define(Pid thread, LooseEntry name) {
  const EventNum kind = name_kind(name.number);
  const bool is_method = kind == kind::kMETHOD_NAME;
  // The upper half of a method's number is none of it.
  const Item item{kind, is_method ? name.arg & 0xffff : name.arg};
  if (is_method) first_.try_emplace(item, name);
  names_[line_.process_of(thread)].insert_or_assign(item, std::move(name));
}

std::vector<LooseEntry> GivenNames::seen_by(Pid thread) const {
  Names seen;
  line_.climb(line_.process_of(thread), [&](Pid process) {
    // The nearest one counts.
    if (const auto own = names_.find(process); own != names_.end())
      seen.insert(own->second.begin(), own->second.end());
    return false;
  });
  std::vector<LooseEntry> told;
  for (auto& [item, name] : seen) {
    // Whoever tells a method first tells what it is for all.
    const auto first = first_.find(item);
    if (first != first_.end() && first->second.payload != name.payload)
      told.push_back(first->second);
    told.push_back(std::move(name));
  }
  return told;
}

std::vector<LooseEntry> GivenNames::first_of_methods() const {
  std::vector<LooseEntry> all;
  for (const auto& [item, name] : first_) all.push_back(name);
  return all;
}

}  // namespace kutrace::raw
