// SPDX-License-Identifier: BSD-3-Clause
// Reads /sys/devices/system/cpu/cpu0/cpuidle.
#include "record/proc/idle_states.h"

#include <charconv>

#include "files/small_file.h"

namespace kutrace::record {

namespace {

std::uint32_t number_in(const std::string& text, std::size_t from, int base) {
  std::uint32_t value = 0;
  std::from_chars(text.data() + from, text.data() + text.size(), value, base);
  return value;
}

// intel_idle describes a state as "MWAIT 0x20".
std::uint32_t hint_of(const std::string& description) {
  const std::string prefix = "MWAIT 0x";
  return description.starts_with(prefix) ? number_in(description, prefix.size(), 16) : 255;
}

}  // namespace

std::vector<IdleState> read_idle_states() {
  std::vector<IdleState> states;
  for (;;) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cpuidle/state" + std::to_string(states.size()) + "/";
    IdleState state;
    state.name = files::read_line(folder + "name");
    if (state.name.empty()) return states;
    state.latency_us = number_in(files::read_line(folder + "latency"), 0, 10);
    state.mwait_hint = hint_of(files::read_line(folder + "desc"));
    states.push_back(std::move(state));
  }
}

}  // namespace kutrace::record
