// SPDX-License-Identifier: BSD-3-Clause
// Lengths of time as people write them.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace kutrace {

// "10us", "1.5ms", "250ns", "2s", "5m" or "5min", "1h" to ns; a number without a unit counts
// `default_unit` ns each. Fails for negative lengths and for texts of another form.
Result<Ns> parse_time(std::string_view text, Ns default_unit = 1'000'000'000);

}  // namespace kutrace
