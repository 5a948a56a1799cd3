// SPDX-License-Identifier: BSD-3-Clause
// What waits went to, as a table, as CSV, as JSON. In: sums; out: lines, or one text. Times in CSV
// and JSON are nanoseconds.
#pragma once

#include <cstdint>
#include <string>

#include "emit/text/cause_text.h"
#include "emit/text/text_sink.h"
#include "reports/blame.h"

namespace kutrace::emit {

// By thread, the name of those who waited stands in each row.
enum class BlameBy : std::uint8_t { kCause, kThread };

void blame_table(const reports::Blame& blame, const CauseText& text, BlameBy by, std::size_t width,
                 const LineSink& line);
void blame_csv(const reports::Blame& blame, const CauseText& text, BlameBy by,
               const LineSink& line);
std::string blame_json(const reports::Blame& blame, const CauseText& text, BlameBy by);

}  // namespace kutrace::emit
