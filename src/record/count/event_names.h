// SPDX-License-Identifier: BSD-3-Clause
// What the events of a probe are called on this machine, by the numbers that the programs know
// (ebpf/bpf/count_layout.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "count/question.h"

namespace kutrace::record {

struct EventName {
  std::string name;   // what patterns are compared with: "read"
  std::string shown;  // "read", "read (32 bits)"
};
using EventNames = std::map<std::uint32_t, EventName>;

// Interrupts are those that /proc/interrupts lists now.
EventNames event_names(count::Probe probe);

// The text of a key's name (bpf/count_layout.h); "sys#999" or "sys32#999" for a call that has none.
std::string shown_name(count::Probe probe, const EventNames& names, std::uint64_t key);

}  // namespace kutrace::record
