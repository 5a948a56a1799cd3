// SPDX-License-Identifier: BSD-3-Clause
// Counts of a clock to nanoseconds. In: a clock as the metadata describe it; out: how far it is
// from its zero, and that from 1970.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"
#include "format/trace_clock.h"
#include "read/ctf/bit_reader.h"
#include "read/ctf/ctf_schema.h"
#include "read/import/kernel_event.h"

namespace kutrace::read {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

inline Ns clock_ns(const CtfClock& clock, std::uint64_t count) {
  const UnsignedWide ns = UnsignedWide{count} * kNsPerSecond / clock.frequency;
  return static_cast<Ns>(std::min<UnsignedWide>(ns, kLatest));
}

inline Ns clock_offset(const CtfClock& clock) {
  const Wide cycles = Wide{clock.offset_cycles} * kNsPerSecond / static_cast<Wide>(clock.frequency);
  const Wide ns = Wide{clock.offset_seconds} * kNsPerSecond + cycles;
  return static_cast<Ns>(std::clamp<Wide>(ns, -kLatest, kLatest));
}

// What a clock counts to where its lowest bits are these. It does not go back: they have begun
// again, once.
inline std::uint64_t advanced(std::uint64_t before, std::uint64_t low, unsigned bits) {
  if (bits >= kMostBits) return low;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const std::uint64_t now = (before & ~mask) | (low & mask);
  return now < before ? now + mask + 1 : now;
}

}  // namespace kutrace::read
