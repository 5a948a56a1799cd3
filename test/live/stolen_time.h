// SPDX-License-Identifier: BSD-3-Clause
// What a hypervisor took from this machine: a thread's CPU clock leaves it out, nothing that
// records can. Out: nanoseconds of all CPUs together, which the kernel tells in steps of 10 ms.
#pragma once

#include <cstdint>
#include <cstdio>

inline constexpr std::int64_t kStolenStepNs = 10'000'000;

// Since boot.
inline std::int64_t stolen_ns() {
  long long ticks = 0;
  if (std::FILE* stat = std::fopen("/proc/stat", "r")) {
    // user, nice, system, idle, iowait, irq, softirq, steal
    if (std::fscanf(stat, "cpu %*d %*d %*d %*d %*d %*d %*d %lld", &ticks) != 1) ticks = 0;
    std::fclose(stat);
  }
  return ticks * kStolenStepNs;
}

// Since then, at most; 0 where none is seen.
inline std::int64_t stolen_since(std::int64_t before) {
  const std::int64_t stolen = stolen_ns() - before;
  return stolen == 0 ? 0 : stolen + kStolenStepNs;
}
