// SPDX-License-Identifier: BSD-3-Clause
// Executable memory of all processes during a recording. In: what was mapped before, and the
// changes that the kernel reported since; out: records of the memory that was sampled.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/range_map.h"
#include "format/symbol_text.h"
#include "record/proc/map_events.h"

namespace kutrace::record {

class MemoryMaps {
 public:
  using Sampled = std::unordered_map<Pid, std::set<std::uint64_t>>;
  using CounterAt = std::function<Ticks(std::uint64_t monotonic_ns)>;

  // Takes what /proc shows of every process now.
  void read_all();
  // Follows `events`, which are in order of time, and says where sampled code came from.
  std::vector<MapRecord> records(const std::vector<MapEvent>& events, const Sampled& sampled,
                                 const CounterAt& counter_at);

 private:
  struct Mapping {
    ProcMapping memory;
    std::string build_id;
  };
  using Memory = RangeMap<Mapping>;

  void follow(const MapEvent& event, const Sampled& sampled, Ticks from);
  void begin_anew(Pid process, Ticks from);
  void keep_all(Pid process, const Sampled& sampled, Ticks from);
  void keep(Pid process, std::uint64_t start, std::uint64_t end, const Mapping& mapping,
            const Sampled& sampled, Ticks from);
  std::string build_id(Pid process, const Mapping& mapping);

  std::map<Pid, Memory> now_;
  std::vector<MapRecord> records_;
  std::set<Pid> told_;  // processes with records
  std::map<std::pair<std::uint64_t, std::string>, std::string> build_ids_;  // by inode and path
};

}  // namespace kutrace::record
