// SPDX-License-Identifier: BSD-3-Clause
// What recording costs a command, as a table, as CSV and as JSON. In: rows; out: lines.
#pragma once

#include <string>
#include <vector>

#include "emit/text/text_sink.h"
#include "reports/overhead.h"

namespace kutrace::emit {

// A way to record, and its runs.
struct OverheadWay {
  std::string source;
  std::string groups;  // "standard", or a group and those that come with it: "irqs,sched"
};

// One run, in the order in which they were made.
struct OverheadRunTold {
  std::size_t way = 0;  // 0: bare; else the way's number plus 1
  unsigned round = 0;   // from 0
  reports::OverheadRun run;
  unsigned other_recorders = 0;  // that were at work beside it
};

// What applies to all rows.
struct OverheadTold {
  std::vector<std::string> command;
  unsigned rounds = 0;  // that are whole
  unsigned wanted = 0;  // rounds
  unsigned warmup = 0;
  std::vector<OverheadWay> ways;  // of the rows
  std::vector<OverheadRunTold> runs;
};

void overhead_table(const std::vector<reports::OverheadRow>& rows, const OverheadTold& told,
                    const LineSink& line);
void overhead_csv(const std::vector<reports::OverheadRow>& rows, const OverheadTold& told,
                  const LineSink& line);
std::string overhead_json(const std::vector<reports::OverheadRow>& rows, const OverheadTold& told);

// "ebpf", "ebpf irqs,sched".
std::string overhead_way_name(const OverheadWay& way);

}  // namespace kutrace::emit
