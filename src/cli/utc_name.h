// SPDX-License-Identifier: BSD-3-Clause
// The time now, as names of files that this program makes have it: in UTC, in the order of names.
#pragma once

#include <string>

namespace kutrace::cli {

std::string utc_seconds();       // 20261126T101500Z
std::string utc_milliseconds();  // 20261126T101500.250Z

}  // namespace kutrace::cli
