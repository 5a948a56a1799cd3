// SPDX-License-Identifier: BSD-3-Clause
// Timed by the monotonic clock.
#include "record/proc/call_time.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace kutrace::record {

namespace {

constexpr int kBatches = 25;
constexpr int kCallsPerBatch = 400;

}  // namespace

CallTime time_one_call() {
  std::array<double, kBatches> times{};
  for (double& time : times) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCallsPerBatch; ++i) syscall(SYS_getppid);
    const std::chrono::duration<double, std::nano> length =
        std::chrono::steady_clock::now() - begin;
    time = length.count() / kCallsPerBatch;
  }
  std::ranges::sort(times);
  return {times[0], times[kBatches / 4] - times[0]};
}

}  // namespace kutrace::record
