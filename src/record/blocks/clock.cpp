// SPDX-License-Identifier: BSD-3-Clause
// Reads of the two kernel clocks, and arithmetic with rates.
#include "record/blocks/clock.h"

#include <sys/stat.h>

#include <cmath>
#include <ctime>
#include <sstream>
#include <string>

#include "files/small_file.h"

namespace kutrace::record {

namespace {

std::uint64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// What this process's time namespace adds to the kernel's clock. The file is about that of its
// children.
std::uint64_t namespace_offset() {
  struct stat own{};
  struct stat of_children{};
  if (stat("/proc/self/ns/time", &own) != 0 ||
      stat("/proc/self/ns/time_for_children", &of_children) != 0 ||
      own.st_ino != of_children.st_ino)
    return 0;
  std::istringstream lines(files::read_text("/proc/self/timens_offsets"));
  std::string clock;
  for (std::int64_t seconds = 0, ns = 0; lines >> clock >> seconds >> ns;)
    if (clock == "monotonic") return static_cast<std::uint64_t>(seconds * 1'000'000'000 + ns);
  return 0;
}

}  // namespace

Ticks monotonic_ticks() {
  static const std::uint64_t offset = namespace_offset();
  return (read_ns(CLOCK_MONOTONIC) - offset) >> kMonotonicShift;
}

ClockReading read_monotonic_clocks() {
  ClockReading best;
  Ticks best_width = ~Ticks{0};
  for (int i = 0; i < 8; ++i) {
    const Ticks before = monotonic_ticks();
    const std::uint64_t wall = read_ns(CLOCK_REALTIME);
    const Ticks after = monotonic_ticks();
    if (after - before >= best_width) continue;
    best_width = after - before;
    best = {before, wall / 1000, before << kMonotonicShift};
  }
  return best;
}

ClockReading reading_at(const ClockReading& reference, Ticks counter, const TickRate& rate) {
  const bool later = counter >= reference.counter;
  const auto length = static_cast<std::int64_t>(
      std::llround(rate.ns(later ? counter - reference.counter : reference.counter - counter)));
  const std::int64_t ns = later ? length : -length;
  return {counter, reference.usec + static_cast<std::uint64_t>(ns / 1000),
          reference.monotonic_ns + static_cast<std::uint64_t>(ns)};
}

}  // namespace kutrace::record
