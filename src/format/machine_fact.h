// SPDX-License-Identifier: BSD-3-Clause
// What a trace of several machines knows of one of them: its host, its CPUs and threads, when its
// recording began, how its clock is known. In: a record; out: the text of the fact `machine.N`,
// "host=db cpus=2-3 threads_from=4194304 begin_ns=1200 clock=..."; and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "format/facts.h"

namespace kutrace {

// Threads of the n-th machine are numbered from n times this on. It is Linux's PID_MAX_LIMIT: all
// numbers that one machine gives are smaller.
constexpr Pid kThreadsOfMachine = 1 << 22;

// Number of the thread's machine, from 0; always 0 in a trace of one machine.
constexpr Pid machine_of_thread(Pid pid) { return pid / kThreadsOfMachine; }

struct MachineFact {
  std::string host;  // empty: not known
  std::vector<CpuId> cpus;
  Pid first_thread = 0;  // its threads have numbers from here on
  Ns begin = 0;          // of its recording
  std::string clock;     // words of the form key=value
};

std::string to_text(const MachineFact& machine);
// Nothing if the text has another form. The clock is not parsed.
std::optional<MachineFact> parse_machine(std::string_view text);

// The machines, by their first thread; none in a trace of one machine.
std::vector<MachineFact> machines_of(const Facts& facts);

// The host of a thread or process. Empty in a trace of one machine, or if the host is not known.
std::string host_of_thread(Pid thread, const Facts& facts);

}  // namespace kutrace
