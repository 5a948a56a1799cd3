// SPDX-License-Identifier: BSD-3-Clause
// Waiting time by reason, a letter of the WAIT table: in, single waits; out, their sums.
#pragma once

#include <array>
#include <cstddef>

#include "base/add_time.h"
#include "base/units.h"
#include "format/event_table.h"

namespace kutrace::reports {

// Letters of waits: for a CPU, and for no known reason.
constexpr char kReady = 'c';
constexpr char kUnexplained = 'z';

constexpr char wait_letter(EventNum wait) {
  return static_cast<char>('a' + (wait - ev::kWAIT_FIRST));
}

// By letter of the WAIT table.
using WaitTimes = std::array<Ns, 26>;

inline void add_wait(WaitTimes& waits, char letter, Ns time) {
  const auto place = static_cast<std::size_t>(letter - 'a');
  if (place < waits.size()) add_time(waits[place], time);
}

inline void add_waits(WaitTimes& waits, const WaitTimes& more) {
  for (std::size_t i = 0; i < waits.size(); ++i) add_time(waits[i], more[i]);
}

inline Ns sum_of(const WaitTimes& waits) {
  Ns sum = 0;
  for (const Ns time : waits) add_time(sum, time);
  return sum;
}

inline Ns wait_of(const WaitTimes& waits, char letter) {
  return waits[static_cast<std::size_t>(letter - 'a')];
}

}  // namespace kutrace::reports
