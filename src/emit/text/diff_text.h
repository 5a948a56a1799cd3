// SPDX-License-Identifier: BSD-3-Clause
// What changed between two recordings, as tables, as CSV and as JSON. In: rows; out: lines.
#pragma once

#include <string>
#include <vector>

#include "emit/text/text_sink.h"
#include "reports/diff.h"

namespace kutrace::emit {

struct DiffSideTold {
  std::string name;  // of several runs: of all, with commas between them
  std::size_t runs = 1;
  Ns recorded = 0;  // of all runs
  Ns block = 0;     // of the first one
  std::size_t cpus = 0;
};

// What applies to all rows.
struct DiffTold {
  DiffSideTold before;
  DiffSideTold after;
  bool noise = false;     // both sides tell of it
  bool totals = false;    // else all is per second
  std::size_t top = 0;    // rows of a table, waits and kinds apart; 0: all
  std::size_t width = 0;  // of a line, as in fitted_table.h

  // Whether a side has several runs, which tell what equal runs differ by.
  bool between_runs() const { return before.runs + after.runs > 2; }
};

void diff_table(const std::vector<reports::DiffRow>& rows, const DiffTold& told,
                const LineSink& line);
void diff_csv(const std::vector<reports::DiffRow>& rows, const DiffTold& told,
              const LineSink& line);
std::string diff_json(const std::vector<reports::DiffRow>& rows, const DiffTold& told);

// "B (b.raw) does not tell of syscalls, faults": what a side lacks of what rows are made of; empty:
// nothing.
std::string diff_lacks(const std::vector<reports::DiffRow>& rows, const DiffTold& told);

// "read", "page_fault (trap)", "ready": what a row is called.
std::string diff_row_name(const reports::DiffKey& key);

}  // namespace kutrace::emit
