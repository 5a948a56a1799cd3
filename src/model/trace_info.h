// SPDX-License-Identifier: BSD-3-Clause
// What is known of a whole trace beside its spans: who, when, where, what was lost or repaired.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "format/counters.h"
#include "format/facts.h"
#include "model/names.h"

namespace kutrace {

struct ThreadInfo {
  NameId name = kNoName;  // the last one it had
  Pid process = kNoPid;   // process id (tgid), kNoPid if not recorded
  Pid parent = kNoPid;    // parent's process id
  bool kernel_thread = false;
  bool recorder = false;  // belongs to the recorder itself
  bool command = false;   // the recorded command
};

struct LossRecord {
  CpuId cpu = 0;
  Ns begin = 0;
  Ns end = 0;
  std::uint64_t entries = 0;  // all ones: unknown
  unsigned reason = 0;        // enum kutrace_loss_reason
};

struct TraceInfo {
  // The recorded time, for every CPU alike. Times are ns after the trace's start counter.
  Ns begin = 0;
  Ns end = 0;
  // Wall clock of time 0, usec since 1970, UTC.
  std::uint64_t wall_usec = 0;
  double ns_per_tick = 0;
  unsigned flags = 0;  // of block 0: KUTRACE_FLAG_*
  unsigned version = 3;

  std::vector<CpuId> cpus;  // ascending; those that have at least one block
  std::string kernel_version;
  std::string cpu_model;
  std::string host_name;
  Facts facts;  // in file order

  std::map<Pid, ThreadInfo> threads;
  std::vector<LossRecord> losses;

  std::uint64_t blocks = 0;
  std::uint64_t entries = 0;                         // 8-byte words that held an entry
  std::uint64_t events = 0;                          // transitions: a folded call counts as two
  std::map<std::uint16_t, std::uint64_t> by_event;   // entries per 12-bit event number
  std::map<std::uint32_t, std::string> event_names;  // per event number that occurred
  Counters counters;                                 // remarks, repairs, damage
};

}  // namespace kutrace
