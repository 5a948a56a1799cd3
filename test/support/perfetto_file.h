// SPDX-License-Identifier: BSD-3-Clause
// A Perfetto trace, made by hand of what the kernel's tracepoints told.
#pragma once

#include <cstddef>
#include <string>

#include "support/foreign_traces.h"

namespace kutrace::test {

struct PerfettoOptions {
  bool compact = false;         // switches and wakeups as columns
  bool packed = false;          // packets within packets
  bool described = false;       // page faults by a descriptor; else by names of their fields
  std::size_t bundle = 4;       // events of a CPU in one packet
  unsigned clock = 0;           // of ftrace, as its bundles number them
  bool has_interrupted = true;  // interrupts tell whom they interrupt, else the idle thread
};

std::string perfetto_file(const ForeignTrace& trace, const PerfettoOptions& options = {});

}  // namespace kutrace::test
