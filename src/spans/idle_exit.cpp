// SPDX-License-Identifier: BSD-3-Clause
// Latency tables. Microseconds by mwait hint, as KUtrace measured them on its machines.
#include "spans/idle_exit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "kutrace/abi.h"

namespace kutrace::spans {

namespace {

struct ByHint {
  std::uint32_t last_hint;
  Ns latency;
};

constexpr ByHint kAnyCpu[] = {
    {0x00, 200},    {0x01, 1'000},  {0x0f, 200},     {0x1f, 3'300}, {0x2f, 13'300}, {0x3f, 16'600},
    {0x4f, 30'000}, {0x5f, 60'000}, {0xfd, 250'000}, {0xfe, 200},   {0xff, 13'300},
};
constexpr std::array<Ns, 7> kI3_7100 = {1'000, 7'000, 8'500, 12'400, 20'000, 48'000, 89'000};
constexpr std::array<Ns, 7> kJ4005 = {1'000, 25'500, 13'300, 15'500, 100'000, 200'000, 1'000'000};
constexpr Ns kUnusedHint = 25'500;

// The high nibble of a hint is the C-state, the low one a variety of it.
Ns by_high_nibble(const std::array<Ns, 7>& table, std::uint32_t hint) {
  return hint >> 4 < table.size() ? table[hint >> 4] : kUnusedHint;
}

}  // namespace

IdleExit::IdleExit(const Facts& facts) {
  for (const auto& [key, value] : facts) {
    if (!key.starts_with(fact::kIdleState)) continue;
    std::uint32_t index = 0;
    const char* digits = key.data() + fact::kIdleState.size();
    if (std::from_chars(digits, key.data() + key.size(), index).ec != std::errc()) continue;
    const std::size_t comma = value.find(',');
    State state{value.substr(0, comma), 0};
    if (comma != std::string::npos) {
      // A text from a file: at most a second, in microseconds, so that nothing overflows.
      state.latency = std::clamp<Ns>(std::atoll(value.c_str() + comma + 1), 0, 1'000'000) * 1000;
    }
    states_[index] = std::move(state);
  }
}

const IdleExit::State* IdleExit::recorded(std::uint32_t mwait_arg) const {
  // Stored as state + 1; 0: the hint alone is told.
  const std::uint32_t index = mwait_arg >> KUTRACE_IDLE_STATE_SHIFT;
  const auto found = index == 0 ? states_.end() : states_.find(index - 1);
  return found == states_.end() ? nullptr : &found->second;
}

bool IdleExit::is_low_power(std::uint32_t mwait_arg) const {
  const State* state = recorded(mwait_arg);
  return state == nullptr || state->name != "POLL";
}

Ns IdleExit::latency(std::uint32_t mwait_arg) const {
  if (const State* state = recorded(mwait_arg)) return state->latency;
  const std::uint32_t hint = mwait_arg & 0xffff;
  if (model_.find("i3-7100") != std::string::npos) return by_high_nibble(kI3_7100, hint);
  if (model_.find("J4005") != std::string::npos) return by_high_nibble(kJ4005, hint);
  const auto* found = std::find_if(std::begin(kAnyCpu), std::end(kAnyCpu),
                                   [hint](const ByHint& row) { return hint <= row.last_hint; });
  return found == std::end(kAnyCpu) ? kUnusedHint : found->latency;
}

}  // namespace kutrace::spans
