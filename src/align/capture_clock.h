// SPDX-License-Identifier: BSD-3-Clause
// How much the clock of a capture is ahead of a trace's. In: packets that both have; out: the
// difference at any time (ns): the median of some packets, interpolated between them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"

namespace kutrace::align {

// The same packet, seen twice.
struct SeenTwice {
  Ns wall = 0;              // of the trace
  Ns difference = 0;        // how much later by the capture's clock
  std::uint32_t frame = 0;  // of the capture
  bool is_sent = false;     // by what the trace says
};

class CaptureClock {
 public:
  // None: the clocks agree. Else in order of time.
  explicit CaptureClock(const std::vector<SeenTwice>& packets = {});

  // How much it is ahead at a time of the trace.
  Ns ahead(Ns wall) const;
  // A time of the capture as the trace's.
  Ns of_trace(Ns captured) const { return captured - ahead(captured - ahead(captured)); }
  // How much it gains, ns a second; nothing where a second or less tells.
  std::optional<double> drift() const;

 private:
  struct Step {
    Ns wall = 0;
    Ns value = 0;
  };
  std::vector<Step> steps_;
};

}  // namespace kutrace::align
