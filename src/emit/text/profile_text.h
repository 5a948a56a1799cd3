// SPDX-License-Identifier: BSD-3-Clause
// Rows of a profile as text: a table for people, CSV, or JSON. In: rows; out: lines or one text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emit/text/text_sink.h"
#include "reports/profile.h"

namespace kutrace::emit {

// At most `cells` lines per row, 0: all; what is left out is told in one line. `width`: of a line,
// as in fitted_table.h.
void profile_table(const std::vector<reports::ProfileRow>& rows, std::size_t cells,
                   std::size_t width, const LineSink& line);

// One line per cell, the first one names the columns. Sums are divided by the rows merged.
void profile_csv(const std::vector<reports::ProfileRow>& rows, const LineSink& line);

// {"rows":[{"of":"cpu","id":0,"name":"CPU 0",...,"cells":[{"kind":"user",...}]}]}
std::string profile_json(const std::vector<reports::ProfileRow>& rows);

}  // namespace kutrace::emit
