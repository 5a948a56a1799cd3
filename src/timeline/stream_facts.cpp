// SPDX-License-Identifier: BSD-3-Clause
// The facts of a raw file's stream.
#include "timeline/stream_facts.h"

#include <algorithm>

#include "kutrace/abi.h"
#include "timeline/captured_packets.h"
#include "timeline/counter_readings.h"
#include "timeline/trace_layout.h"

namespace kutrace::timeline {

namespace {

// Recordings of this project say which groups of events they hold.
bool records(const TraceLayout& layout, std::string_view group) {
  const auto groups = layout.facts.get(fact::kEvents);
  return !groups || std::ranges::find(*groups, group) != groups->end();
}

std::vector<CpuId> all_cpus(const TraceLayout& layout) {
  std::vector<CpuId> cpus;
  for (const CpuBlocks& cpu : layout.cpus) cpus.push_back(cpu.cpu);
  // A CPU may have been online without leaving a block: its time counts, and is lost.
  for (const CpuId cpu : layout.facts.get(fact::kCpusOnline).value_or(fact::Cpus())) {
    cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

// KUtrace keeps 16 bits of thread ids in entries, all of them in block headers.
std::vector<Pid> header_pids(const TraceLayout& layout) {
  std::vector<Pid> pids;
  for (const CpuBlocks& cpu : layout.cpus) {
    for (const PlacedBlock& placed : cpu.blocks) pids.push_back(placed.block.pid);
  }
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

}  // namespace

bool may_tell_moves(const StreamFacts& facts) {
  return facts.facts.get(fact::kCgroupMoves).value_or(false) &&
         std::ranges::any_of(facts.processes.cgroups, [&](const CgroupRecord& told) {
           return facts.clock.to_ns(told.at) > facts.begin;
         });
}

StreamFacts stream_facts(const TraceLayout& layout) {
  StreamFacts facts;
  facts.begin = layout.begin;
  facts.end = layout.end;
  facts.wall_usec = layout.wall_usec;
  facts.clock = layout.clock;
  facts.cpus = all_cpus(layout);
  facts.version = layout.version;
  facts.flags = layout.flags;
  facts.complete = layout.complete;
  facts.wrapped = layout.wrapped;
  facts.own_source = layout.facts.has(fact::kSource);
  facts.filtered = layout.facts.has(fact::kRecordedThreads);
  facts.switches = records(layout, "sched");
  facts.groups = GroupTimes(layout.facts);
  // Switched on later, they are there in part.
  facts.calls =
      records(layout, "syscalls") || facts.groups.ever_off().has_bit(EventGroup::kSyscalls);
  facts.fault_returns = layout.facts.get(fact::kFaultReturns).value_or(true);
  if (!facts.own_source) facts.whole_pids = header_pids(layout);
  facts.facts = layout.facts;
  facts.code = recorded_code(layout);
  facts.processes = recorded_processes(layout);
  facts.readings = recorded_counters(layout);
  facts.packets = captured_packets(layout);
  facts.counters = layout.counters;
  return facts;
}

}  // namespace kutrace::timeline
