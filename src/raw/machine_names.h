// SPDX-License-Identifier: BSD-3-Clause
// What several traces say beside their events, as one trace says it: names, threads, facts, code,
// counters. In: one machine after the other: the entries of its preamble, then what is known of it
// as a whole; out: entries for the name blocks of the whole.
//
// Most facts are those of the first machine; which CPUs were recorded, and what could not be seen,
// is told for all. A device interrupt that means two devices has both names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "format/counter_records.h"
#include "format/facts.h"
#include "format/name_entries.h"
#include "format/trace_clock.h"
#include "raw/machine_numbers.h"
#include "timeline/stream_facts.h"

namespace kutrace::raw {

class MachineNames {
 public:
  // `clock`: that of the whole. Both must outlive this object.
  MachineNames(NameEntries& names, const TraceClock& clock) : names_(names), clock_(clock) {}

  // An entry of the machine that is being read, which holds from the start.
  void take(const decode::Entry& entry, MachineNumbers& numbers);
  // The machine was read to its end; `clock` says in words how its clock is known.
  void end_machine(const timeline::StreamFacts& facts, MachineNumbers& numbers,
                   const std::string& clock);
  // Writes what all machines share. Once, after the last one.
  void finish();

 private:
  bool is_first() const { return machines_ == 0; }
  void share(EventNum kind, std::uint32_t item, const std::string& text);
  void add_facts(const Facts& facts, const MachineNumbers& numbers);
  void add_records(const timeline::StreamFacts& facts, MachineNumbers& numbers);
  void add_idle_state(const std::string& key, const std::string& value,
                      const MachineNumbers& numbers);

  NameEntries& names_;
  const TraceClock& clock_;
  std::size_t machines_ = 0;                                          // that were read
  std::string host_;                                                  // of the machine that is read
  std::map<std::pair<EventNum, std::uint32_t>, std::string> shared_;  // by kind and number
  std::vector<LooseEntry> threads_;  // behind the names of the calls that they begin in
  Facts first_facts_;
  CounterRecords counters_;
  std::vector<CpuId> online_;
  std::uint64_t discarded_ = 0;
  bool moves_are_told_ = true;  // between control groups, of all machines so far
};

}  // namespace kutrace::raw
