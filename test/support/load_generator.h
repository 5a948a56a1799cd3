// SPDX-License-Identifier: BSD-3-Clause
// Recordings of a load that varies by chance, as real ones do. In: how long its calls take and how
// many there are; out: a raw trace. Two of one shape and different seeds are equal but for noise,
// which neighbouring milliseconds have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace kutrace::test {

// Of two CPUs: on one, a server reads and writes, faults, and shares the CPU with a backup that
// works in bursts; on the other, its helper sleeps and is woken. Timers tick on both.
struct Load {
  std::uint64_t seed = 1;
  Ns length = 2'000'000'000;
  double read_us = 20;      // mean duration of a read
  double reads_a_ms = 6;    // mean number
  double wakeups_a_ms = 1;  // of the helper, which calls futex so often
  Pid first_pid = 100;      // numbers of all threads begin here
};

std::vector<std::byte> generate_load(const Load& load);

}  // namespace kutrace::test
