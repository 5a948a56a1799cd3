// SPDX-License-Identifier: BSD-3-Clause
// The window of time that --from and --to ask for. In: their words, empty where one was not given;
// out: times, far away where one was not given.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time_window.h"

namespace kutrace::cli {

Result<TimeWindow> asked_window(const std::string& from, const std::string& to);
// Who asks for no time at all asks wrongly.
Error empty_window();

}  // namespace kutrace::cli
