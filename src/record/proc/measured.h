// SPDX-License-Identifier: BSD-3-Clause
// One value that /proc or /sys showed, and of which counter it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"

namespace kutrace::record {

struct Measured {
  std::string name;
  std::string_view unit;  // of format/counter_records.h
  bool is_total = false;
  std::int64_t value = 0;
  Pid process = kNoPid;
  std::uint64_t started = 0;  // when that process did: another one may have its number later
};

inline constexpr std::string_view kBytes = "bytes";
inline constexpr std::string_view kEvents = "events";
inline constexpr std::string_view kTasks = "tasks";
inline constexpr std::string_view kNs = "ns";
inline constexpr std::string_view kHertz = "Hz";
inline constexpr std::string_view kMillidegrees = "mdegC";

}  // namespace kutrace::record
