// SPDX-License-Identifier: BSD-3-Clause
// The groups of events that `record --events` switches, as a set of bits. In: words as the option
// takes them; out: the set. And which group an event belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace kutrace {

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
  kProcesses = 1u << 19,  // not these: they tell when threads end
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

std::string_view name_of(EventGroup group);

class EventGroups {
 public:
  // The groups that tell where all time went, and when threads end; without samples, and without
  // moments of other subjects.
  static EventGroups standard();
  // Those that are not in standard().
  static EventGroups others();
  // "syscalls,irqs": only these. "-net,-samples" or "+samples": the standard set with changes.
  // Context switches are always among them: without them no time has an owner.
  static Result<EventGroups> parse(const std::string& text);

  // A change of a set that is being recorded: words with + or -, "+net", "-faults".
  static Result<EventGroups> parse_change(const EventGroups& now,
                                          const std::vector<std::string>& words);
  // Names that are no group's are ignored.
  static EventGroups of_names(const std::vector<std::string>& names);

  bool has(EventGroup group) const;
  // The same, but false for kAlways.
  bool has_bit(EventGroup group) const { return (bits_ & static_cast<std::uint32_t>(group)) != 0; }
  void set(EventGroup group, bool on);
  // The groups of this set that the other one lacks.
  EventGroups without(const EventGroups& other) const;
  EventGroups with(const EventGroups& other) const;
  bool empty() const { return bits_ == 0; }
  // Those of them that can be switched while it is recorded.
  EventGroups switchable() const;
  std::vector<std::string> names() const;
  std::vector<EventGroup> each() const;
  std::uint32_t bits() const { return bits_; }
  friend bool operator==(const EventGroups&, const EventGroups&) = default;

 private:
  std::uint32_t bits_ = 0;
};

// The group of an event, by its number. What programs insert comes by a system call, so it belongs
// to that group.
EventGroup group_of(EventNum event);

}  // namespace kutrace
