// SPDX-License-Identifier: BSD-3-Clause
// Whose facts and names hold for all.
#include "raw/machine_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/number_text.h"
#include "format/event_table.h"
#include "format/group_times.h"
#include "format/machine_fact.h"
#include "kutrace/abi.h"

namespace kutrace::raw {

namespace {

constexpr std::size_t kLongestName = 8 * (KUTRACE_MAX_WORDS - 1);

// A machine's own facts, which do not hold for the others.
// They are told by the fact `machine.N`, made anew for the whole, or would be wrong for others.
bool is_of_one_machine(std::string_view key) {
  for (const std::string_view prefix : {fact::kSelfCheck, fact::kIdleState, fact::kMachine})
    if (key.starts_with(prefix)) return true;
  static constexpr std::array kOwn = {fact::kSource.text,
                                      fact::kTickNs.text,
                                      fact::kBlocks.text,
                                      fact::kTimeZero.text,
                                      fact::kCut.text,
                                      fact::kBootId.text,
                                      fact::kCostPercent.text,
                                      fact::kStartMonotonicNs.text,
                                      fact::kCpusOnline.text,
                                      fact::kCgroup.text,
                                      fact::kCgroupMoves.text,
                                      fact::kGroupsChange.text,
                                      fact::kCounter.text,
                                      fact::kReading.text,
                                      fact::kDiscardedEvents.text,
                                      fact::kProcessesChange.text};
  return std::ranges::any_of(kOwn, [key](const char* own) { return key == own; });
}

// Facts of which each machine may have some.
bool is_repeated(std::string_view key) {
  return key == fact::kUnseen.text || key == fact::kSkippedRuns.text ||
         key == fact::kRecordedThreads.text;
}

// Names that the whole trace has once, whatever machines call theirs.
bool is_shared_name(EventNum kind) {
  switch (kind) {
    case kind::kTRAP_NAME:
    case kind::kIRQ_NAME:
    case kind::kSYSCALL_NAME:
    case kind::kSYSCALL32_NAME:
    case kind::kERRNO_NAME:
    case kind::kFILE_NAME:
    case kind::kLOCK_NAME:
    case kind::kPACKET_NAME:
    case kind::kQUEUE_NAME:
    case kind::kRESOURCE_NAME:
      return true;
    default:
      return false;
  }
}

bool is_name_of_machine(EventNum kind) {
  return kind == kind::kHOST_NAME || kind == kind::kCPU_MODEL || kind == kind::kKERNEL_VERSION;
}

bool has_part(const std::string& names, const std::string& one) {
  return ('/' + names + '/').contains('/' + one + '/');
}

}  // namespace

void MachineNames::take(const decode::Entry& entry, MachineNumbers& numbers) {
  const bool is_name = event_class(entry.number) == EventClass::kName;
  const EventNum kind = is_name ? name_kind(entry.number) : 0;
  if (kind == kind::kHOST_NAME) host_ = entry.payload_text();
  if (kind == kind::kMETHOD_NAME) {
    for (const std::uint32_t rpc : numbers.rpcs(entry.arg)) share(kind, rpc, entry.payload_text());
    return;
  }
  if (is_shared_name(kind)) return share(kind, entry.arg, entry.payload_text());
  // Behind the names of calls (finish): a thread is told to be in one by its number.
  if (kind == kind::kTASK) return threads_.push_back(numbers.entry(entry));
  const bool is_own = kind == kind::kPID_NAME || kind == kind::kLOSS;
  // The link's speed is no name, and stands there, too.
  const bool is_of_first = is_first() && (!is_name || is_name_of_machine(kind));
  if (is_own || is_of_first) names_.add(numbers.entry(entry));
}

// The first machine that names it names it for all. Only device interrupts mean different things
// under one number, so they get both names, as far as they fit.
void MachineNames::share(EventNum kind, std::uint32_t item, const std::string& text) {
  std::string& known = shared_[{kind, item}];
  if (known.empty()) {
    known = text;
  } else if (kind == kind::kIRQ_NAME && known != text && !has_part(known, text) &&
             known.size() + 1 + text.size() <= kLongestName) {
    known += '/' + text;
  }
}

void MachineNames::add_idle_state(const std::string& key, const std::string& value,
                                  const MachineNumbers& numbers) {
  const auto number =
      parse_number<std::uint32_t>(std::string_view(key).substr(fact::kIdleState.size()));
  if (!number || *number >= MachineNumbers::kIdleStates) return;
  names_.add(fmt::format("{}{}", fact::kIdleState, numbers.idle_state(*number)), value);
}

void MachineNames::add_facts(const Facts& facts, const MachineNumbers& numbers) {
  for (const auto& [key, value] : facts) {
    if (key.starts_with(fact::kIdleState)) add_idle_state(key, value, numbers);
    if (is_of_one_machine(key)) continue;
    // What the whole is called, and how it was recorded, the first one says.
    if (is_first()) {
      names_.add(key, value);
      first_facts_.add(key, value);
    } else if (is_repeated(key) &&
               std::ranges::find(first_facts_, Facts::Fact(key, value)) == first_facts_.end()) {
      names_.add(key, value);
    }
  }
  moves_are_told_ = moves_are_told_ && facts.get(fact::kCgroupMoves).value_or(false);
  discarded_ += facts.get(fact::kDiscardedEvents).value_or(0);
}

void MachineNames::add_records(const timeline::StreamFacts& facts, MachineNumbers& numbers) {
  const auto add = [&](EventNum kind, const auto& records) {
    for (const auto& record : records) names_.add_text(kind, record_text(numbers.moved(record)));
  };
  add(kind::kMAP, facts.code.maps);
  add(kind::kSYMBOL, facts.code.symbols);
  add(kind::kSTACK, facts.code.stacks);
  add(kind::kPROCESS, facts.processes.descriptors);
  add(kind::kPROCESS, facts.processes.cgroups);
  add(kind::kCOUNTER, facts.packets);
  const CounterRecords read = numbers.moved(facts.readings, is_first() ? "" : host_);
  counters_.series.insert(counters_.series.end(), read.series.begin(), read.series.end());
  counters_.readings.insert(counters_.readings.end(), read.readings.begin(), read.readings.end());
}

void MachineNames::end_machine(const timeline::StreamFacts& facts, MachineNumbers& numbers,
                               const std::string& clock) {
  add_facts(facts.facts, numbers);
  add_records(facts, numbers);
  for (GroupChange change : facts.groups.changes()) {
    change.at = clock_.to_ns(numbers.time(change.at));
    names_.add(fact::kGroupsChange, to_text(change));
  }
  MachineFact told{.host = host_,
                   .cpus = {},
                   .first_thread = numbers.first_pid(),
                   .begin = clock_.to_ns(numbers.time(facts.begin)),
                   .clock = clock};
  for (const CpuId cpu : facts.cpus) told.cpus.push_back(numbers.cpu(cpu));
  online_.insert(online_.end(), told.cpus.begin(), told.cpus.end());
  names_.add(fmt::format("{}{}", fact::kMachine, machines_++), to_text(told));
  host_.clear();
}

void MachineNames::finish() {
  for (const auto& [which, text] : shared_) names_.add_name(which.first, which.second, text);
  for (const LooseEntry& thread : threads_) names_.add(thread);
  names_.add(fact::kCpusOnline, online_);
  if (moves_are_told_) names_.add(fact::kCgroupMoves, true);
  if (discarded_ != 0) names_.add(fact::kDiscardedEvents, discarded_);
  // Machine came after machine; readers want one order of time.
  std::ranges::stable_sort(counters_.readings, {}, &CounterReading::at);
  for (const std::string& text : counter_texts(counters_)) names_.add_text(kind::kCOUNTER, text);
}

}  // namespace kutrace::raw
