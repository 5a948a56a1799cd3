// SPDX-License-Identifier: BSD-3-Clause
// The facts of a raw file's stream.
#include "timeline/stream_facts.h"

#include <algorithm>

#include "base/number_list.h"
#include "kutrace/abi.h"
#include "timeline/meta_text.h"
#include "timeline/trace_layout.h"

namespace kutrace {

namespace {

// Recordings of this project say which groups of events they hold.
bool records(const TraceLayout& layout, std::string_view group) {
  const auto groups = find_fact(layout.facts, "events");
  return !groups || groups->find(group) != std::string::npos;
}

std::vector<CpuId> all_cpus(const TraceLayout& layout) {
  std::vector<CpuId> cpus;
  for (const CpuBlocks& cpu : layout.cpus) cpus.push_back(cpu.cpu);
  if (const auto online = find_fact(layout.facts, "cpus_online")) {
    for (const CpuId cpu : parse_cpu_list(*online)) cpus.push_back(cpu);
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

StreamFacts stream_facts(const TraceLayout& layout) {
  StreamFacts facts;
  facts.begin = layout.begin;
  facts.end = layout.end;
  facts.wall_usec = layout.wall_usec;
  facts.clock = layout.clock;
  facts.cpus = all_cpus(layout);
  facts.trailer = layout.flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC);
  facts.complete = layout.complete;
  facts.wrapped = layout.wrapped;
  facts.own_source = find_fact(layout.facts, "source").has_value();
  facts.filtered = find_fact(layout.facts, "recorded_threads").has_value();
  facts.switches = records(layout, "sched");
  facts.calls = records(layout, "syscalls");
  facts.fault_returns = find_fact(layout.facts, "fault_returns") != "off";
  if (!facts.own_source) facts.whole_pids = header_pids(layout);
  facts.facts = layout.facts;
  facts.code = recorded_code(layout);
  facts.counters = layout.counters;
  return facts;
}

}  // namespace kutrace
