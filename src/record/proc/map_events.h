// SPDX-License-Identifier: BSD-3-Clause
// Changes of executable memory, as the kernel reports them: programs that start, libraries that are
// loaded, processes that begin as copies of others. Out: events in the order of their times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/proc_maps.h"

namespace kutrace::record {

struct MapEvent {
  enum class Kind {
    kMapped,    // `mapping` is new in the process
    kReplaced,  // the process runs a new program; what was mapped before is gone
    kCopied,    // the process is new, a copy of its parent
    kEnded,
  };
  Kind kind = Kind::kMapped;
  std::uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  Pid process = 0;
  Pid parent = 0;
  ProcMapping mapping;
  std::string build_id;  // of the mapped file; empty: not told
};

class MapEvents {
 public:
  MapEvents() = default;
  MapEvents(const MapEvents&) = delete;
  MapEvents& operator=(const MapEvents&) = delete;
  ~MapEvents();

  // From now on, on these CPUs.
  Status start(const std::vector<CpuId>& cpus);
  // Must be called often: takes what has happened since.
  void poll();
  std::vector<MapEvent> take();
  std::uint64_t lost() const { return lost_; }

 private:
  struct Ring {
    int fd = -1;
    void* memory = nullptr;
    CpuId cpu = 0;
  };
  void drain(const Ring& ring);

  std::vector<Ring> rings_;
  std::vector<MapEvent> events_;
  std::uint64_t lost_ = 0;
};

}  // namespace kutrace::record
