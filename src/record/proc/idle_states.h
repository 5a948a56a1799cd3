// SPDX-License-Identifier: BSD-3-Clause
// The idle states of this machine, as the kernel describes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kutrace::record {

struct IdleState {
  std::string name;
  std::uint32_t latency_us = 0;    // to leave it
  std::uint32_t mwait_hint = 255;  // 255: halt or I/O port
};

// By state index; empty where the kernel has no cpuidle driver.
std::vector<IdleState> read_idle_states();

}  // namespace kutrace::record
