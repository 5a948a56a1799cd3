// SPDX-License-Identifier: BSD-3-Clause
// A getppid loop, timed by the monotonic clock.
#include "device/cost.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "device/empty_programs.h"

namespace kutrace {

namespace {

constexpr int kBatches = 25;
constexpr int kCallsPerBatch = 400;

}  // namespace

double time_one_call() {
  std::array<double, kBatches> times{};
  for (double& time : times) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCallsPerBatch; ++i) syscall(SYS_getppid);
    const std::chrono::duration<double, std::nano> length =
        std::chrono::steady_clock::now() - begin;
    time = length.count() / kCallsPerBatch;
  }
  std::ranges::sort(times);
  return times[kBatches / 4];
}

Result<double> time_with_empty_programs() {
  KUTRACE_ASSIGN(const EmptyPrograms programs, EmptyPrograms::attach());
  return time_one_call();
}

Result<Cost> measure_cost(Source& source, double without_ns) {
  KUTRACE_ASSIGN(const double with_ns, source.time_recorded_call());
  return Cost{without_ns, with_ns};
}

}  // namespace kutrace
