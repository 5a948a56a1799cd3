// SPDX-License-Identifier: BSD-3-Clause
// The table of locks, as text, CSV and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emit/text/text_sink.h"
#include "format/facts.h"
#include "reports/lock_waits.h"

namespace kutrace::emit {

// At most `top` rows, 0: all; how many are left out stands below.
void locks_table(const std::vector<reports::LockRow>& rows, std::size_t top, const Facts& facts,
                 const LineSink& line);
void locks_csv(const std::vector<reports::LockRow>& rows, const LineSink& line);
std::string locks_json(const std::vector<reports::LockRow>& rows);

}  // namespace kutrace::emit
