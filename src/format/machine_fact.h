// SPDX-License-Identifier: BSD-3-Clause
// The fact of a machine in a trace of several: its numbers, when its recording began, and how its
// clock is known. In and out: "host=db cpus=2-3 threads_from=4194304 begin_ns=1200 clock=...".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "format/facts.h"

namespace kutrace {

// Threads of the n-th machine have numbers from n times that on: Linux's PID_MAX_LIMIT, below which
// all lie that one machine gives.
constexpr Pid kThreadsOfMachine = 1 << 22;

// From 0; in a trace of one machine always 0.
constexpr Pid machine_of_thread(Pid pid) { return pid / kThreadsOfMachine; }

struct MachineFact {
  std::string host;  // empty: not known
  std::vector<CpuId> cpus;
  Pid first_thread = 0;  // its threads have numbers from here on
  Ns begin = 0;          // of its recording
  std::string clock;     // words of the form key=value
};

std::string to_text(const MachineFact& machine);
// Nothing: it is no such text. The clock's words are left out.
std::optional<MachineFact> parse_machine(std::string_view text);

// Of a trace of several machines, by first thread; of others none.
std::vector<MachineFact> machines_of(const Facts& facts);

// Of a thread or process, in a trace of several machines. Empty: it has one machine, or the host is
// not known.
std::string host_of_thread(Pid thread, const Facts& facts);

}  // namespace kutrace
