// SPDX-License-Identifier: BSD-3-Clause
// What holds for a stream of events as a whole: all that rebuilding spans needs to know of its
// input, whatever its form. A reader of a form other than raw files fills it in itself.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "format/counter_records.h"
#include "format/counters.h"
#include "format/facts.h"
#include "format/group_times.h"
#include "format/packet_text.h"
#include "format/trace_clock.h"
#include "kutrace/abi.h"
#include "timeline/calls_at_begin.h"
#include "timeline/code_records.h"
#include "timeline/process_records.h"

namespace kutrace::timeline {

struct TraceLayout;

struct StreamFacts {
  Ns begin = 0;                 // recorded time of every CPU
  Ns end = 0;                   // at least; later events move it
  std::uint64_t wall_usec = 0;  // wall clock of time 0, usec since 1970, UTC
  TraceClock clock;             // of counters that entries hold as numbers
  std::vector<CpuId> cpus;      // ascending
  unsigned version = 3;         // of the form that the input has
  unsigned flags = 0;           // KUTRACE_FLAG_*

  bool complete = true;     // events go on until the end; else a recorder was killed
  bool wrapped = false;     // each CPU begins with its first event; what was before is overwritten
  bool own_source = false;  // recorded by this project: ids are whole, new threads are told of
  bool filtered = false;    // whose doings were recorded was limited
  bool switches = true;     // recorded; if not, nobody knows whose time it is
  bool calls =
      true;  // recorded, if only at times; if not, one known to be under way would never end
  bool fault_returns = true;    // recorded; if not, a page fault is a moment
  std::vector<Pid> whole_pids;  // ids of threads that events may hold the low 16 bits of

  // Where the begin was overwritten. Takes a reading of all events: who rebuilds spans adds it.
  std::vector<CallAtBegin> calls_at_begin;
  Facts facts;        // that the recorder stored at the start
  GroupTimes groups;  // of events, where these were switched on or off
  CodeRecords code;
  ProcessRecords processes;
  CounterRecords readings;            // of counters of the machine; at counters of the trace
  std::vector<PacketRecord> packets;  // captured, not recorded; in order of time
  Counters counters;                  // so far

  // What entries say of instructions: KUTRACE_FLAG_IPC, KUTRACE_FLAG_LLC; 0: nothing.
  unsigned trailer() const { return flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC); }
};

// Whether it may tell that processes moved to another control group, and when.
bool may_tell_moves(const StreamFacts& facts);

// The same for a raw file.
StreamFacts stream_facts(const TraceLayout& layout);

}  // namespace kutrace::timeline
