// SPDX-License-Identifier: BSD-3-Clause
// What waits went to, as a table, as CSV, as JSON. In: sums; out: lines, or one text. Times in CSV
// and JSON are nanoseconds.
#pragma once

#include <string>

#include "emit/text/cause_text.h"
#include "emit/text/text_sink.h"
#include "reports/blame.h"

namespace kutrace::emit {

void blame_table(const reports::Blame& blame, const CauseText& text, const LineSink& line);
void blame_csv(const reports::Blame& blame, const CauseText& text, const LineSink& line);
std::string blame_json(const reports::Blame& blame, const CauseText& text);

}  // namespace kutrace::emit
