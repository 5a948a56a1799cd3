// SPDX-License-Identifier: BSD-3-Clause
// What waits went to, as a table, as CSV, as JSON. In: sums; out: lines, or one text. Times in CSV
// and JSON are nanoseconds.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "emit/text/cause_text.h"
#include "emit/text/text_sink.h"
#include "reports/blame.h"

namespace kutrace::emit {

// Who waited, in each row.
struct BlameWho {
  std::string_view what;  // "thread", "cgroup": a key of CSV and JSON; empty: rows do not tell
  std::function<std::string(reports::ThreadRow)> name;
};

struct BlameShown {
  BlameWho who;
  std::size_t top = 0;    // rows of a table; the rest is one row together; 0: all
  std::size_t width = 0;  // of its lines; 0: any
};

void blame_table(const reports::Blame& blame, const CauseText& text, const BlameShown& shown,
                 const LineSink& line);
void blame_csv(const reports::Blame& blame, const CauseText& text, const BlameWho& who,
               const LineSink& line);
std::string blame_json(const reports::Blame& blame, const CauseText& text, const BlameWho& who);

}  // namespace kutrace::emit
