// SPDX-License-Identifier: BSD-3-Clause
// A packet as a trace and as a capture have it, and one that both have.
#pragma once

#include <compare>
#include <cstdint>

#include "base/units.h"

namespace kutrace::align {

struct TracedPacket {
  std::uint32_t hash = 0;
  Ns wall = 0;  // by the trace's wall clock
  bool is_sent = false;

  auto operator<=>(const TracedPacket&) const = default;
};

struct CapturedPacket {
  std::uint32_t hash = 0;
  Ns wall = 0;              // by the capture's clock
  std::uint32_t frame = 0;  // of the capture, in the order of the file

  auto operator<=>(const CapturedPacket&) const = default;
};

// The same packet, seen twice.
struct SeenTwice {
  Ns wall = 0;              // by the trace's wall clock
  Ns difference = 0;        // how much later by the capture's clock
  std::uint32_t frame = 0;  // of the capture
  bool is_sent = false;     // by what the trace says

  Ns captured() const { return wall + difference; }
};

}  // namespace kutrace::align
