// SPDX-License-Identifier: BSD-3-Clause
// The table of locks, as text, CSV and JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emit/text/text_sink.h"
#include "format/facts.h"
#include "reports/lock_waits.h"

namespace kutrace::emit {

// As far as the trace has addresses.
enum class Addresses : std::uint8_t { kWhole, kLowHalf };

// At most `top` rows, 0: all; how many are left out stands below.
void locks_table(const std::vector<reports::LockRow>& rows, std::size_t top, Addresses told,
                 const Facts& facts, const LineSink& line);
void locks_csv(const std::vector<reports::LockRow>& rows, Addresses told, const LineSink& line);
std::string locks_json(const std::vector<reports::LockRow>& rows, Addresses told);

}  // namespace kutrace::emit
