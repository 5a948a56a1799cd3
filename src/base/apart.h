// SPDX-License-Identifier: BSD-3-Clause
// Why a window of time has nothing of a recording. In: the times of both; out: a sentence about
// them, empty if they overlap.
#pragma once

#include <string>

#include "base/time_window.h"

namespace kutrace {

std::string why_apart(const TimeWindow& window, const TimeWindow& recording);
// What to do then.
constexpr const char* kTimesCount = "times count from the start of the recording, in seconds";

}  // namespace kutrace
