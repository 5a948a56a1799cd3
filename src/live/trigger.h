// SPDX-License-Identifier: BSD-3-Clause
// What a flight recorder waits for. In: words as --when takes them, "call:fsync>10ms"; out: the
// kind of thing, which of them, and the limit (ns, or a number).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "format/event_groups.h"
#include "reports/interval_finder.h"

namespace kutrace::live {

enum class TriggerKind : std::uint8_t {
  kInterval,  // a call, mark, RPC or request that lasted longer
  kWait,      // of a thread for one reason
  kDelay,     // of a thread for a CPU
  kExit,      // of a program, with another status than 0
  kPressure,  // of the machine, in percent
  kLoad,      // the load average of the last minute
  kLog,       // a line of the kernel's log
};

struct Trigger {
  TriggerKind kind = TriggerKind::kInterval;
  std::string text;            // as it was written
  reports::Question question;  // kInterval
  char reason = 0;             // kWait: its letter; 0: any but that for a CPU
  std::string pattern = "*";   // kDelay: of threads; kExit: of programs; kLog: of lines
  std::string resource;        // kPressure: cpu, memory, io
  Ns limit = 0;                // longer than this
  double level = 0;            // kPressure, kLoad: above this
};

Result<Trigger> parse_trigger(const std::string& text);

// The group of events without which it never fires; kAlways: none.
EventGroup needed_group(const Trigger& trigger);

}  // namespace kutrace::live
