// SPDX-License-Identifier: BSD-3-Clause
// Large raw traces with a realistic mix of events, written block by block.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace kutrace::bench {

struct GeneratorOptions {
  std::uint64_t entries = 1'000'000;
  unsigned cpus = 4;
  unsigned threads = 200;
  std::uint64_t seed = 1;
};

// Memory does not grow with the trace. The mix follows a recording of a compilation: 55 % folded
// system calls, 15 % system calls with nested faults or interrupts, 15 % faults, 5 % timer and
// softirq, 10 % wakeup, switch and idle.
Status generate(const GeneratorOptions& options, const std::string& path);

}  // namespace kutrace::bench
