// SPDX-License-Identifier: BSD-3-Clause
// The groups of events that `record --events` switches, as a set of bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kutrace::record {

enum class EventGroup : std::uint32_t {
  kAlways = 0,  // names and parents of threads
  kSyscalls = 1,
  kIrqs = 2,
  kSoftirqs = 4,
  kFaults = 8,
  kSched = 16,
  kWakeups = 32,
  kPower = 64,
  kNet = 128,
  kSamples = 256,
  // Off unless asked for.
  kLocks = 1u << 16,
  kDisk = 1u << 17,
  kSignals = 1u << 18,
  kProcesses = 1u << 19,
  kMigrations = 1u << 20,
  kMemory = 1u << 21,
  kFaultAddresses = 1u << 22,
  kTimers = 1u << 23,
  kWorkqueue = 1u << 24,
  kSockets = 1u << 25,
  // Likewise off; read by the recorder, beside any source.
  kCounters = 1u << 26,
  kPages = 1u << 27,  // of the sources again
};

class EventGroups {
 public:
  // What tells where all time went; without samples, and without moments of single subjects.
  static EventGroups standard();
  // Those that standard() leaves out.
  static EventGroups others();
  // "syscalls,irqs": only these. "-net,-samples" or "+samples": the standard set with changes.
  // Context switches are always among them: without them no time has an owner.
  static Result<EventGroups> parse(const std::string& text);

  bool has(EventGroup group) const;
  void set(EventGroup group, bool on);
  std::vector<std::string> names() const;
  std::uint32_t bits() const { return bits_; }

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace kutrace::record
