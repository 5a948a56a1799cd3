// SPDX-License-Identifier: BSD-3-Clause
// A share as people write it, of an option that takes one.
#pragma once

#include <string_view>

#include "base/result.h"

namespace kutrace::cli {

// "5%", "0.5": percent, not negative. `option` is whose word it is.
Result<double> parse_percent(std::string_view option, std::string_view text);

}  // namespace kutrace::cli
