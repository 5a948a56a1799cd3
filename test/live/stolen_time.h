// SPDX-License-Identifier: BSD-3-Clause
// What a hypervisor took from this machine. Out: nanoseconds since boot, of all CPUs together, in
// steps of 10 ms. A thread's CPU clock leaves them out; nothing that records can.
#pragma once

#include <cstdint>
#include <cstdio>

inline constexpr std::int64_t kStolenStepNs = 10'000'000;

inline std::int64_t stolen_ns() {
  long long ticks = 0;
  if (std::FILE* stat = std::fopen("/proc/stat", "r")) {
    // user, nice, system, idle, iowait, irq, softirq, steal
    if (std::fscanf(stat, "cpu %*d %*d %*d %*d %*d %*d %*d %lld", &ticks) != 1) ticks = 0;
    std::fclose(stat);
  }
  return ticks * kStolenStepNs;
}
