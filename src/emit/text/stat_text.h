// SPDX-License-Identifier: BSD-3-Clause
// Where time went, as tables, as CSV and as JSON. In: rows of CPUs, threads, processes, programs,
// intervals or kinds; out: lines.
#pragma once

#include <string>
#include <vector>

#include "emit/text/readings_text.h"
#include "emit/text/text_sink.h"
#include "model/throttling.h"
#include "reports/stat.h"

namespace kutrace::emit {

// One table: rows of one sort, kinds or functions.
struct StatTable {
  reports::StatBy by = reports::StatBy::kCpu;
  bool of_kinds = false;
  std::vector<reports::StatRow> rows;
  std::vector<reports::StatKind> kinds;
  bool of_functions = false;
  std::vector<reports::StatFunction> functions = {};
};

// What applies to all tables of an answer.
struct StatTold {
  Ns recorded = 0;  // the windows together
  std::size_t cpus = 0;
  bool lives = false;     // so that a thread's unknown time is known
  bool switches = false;  // whether a thread blocked or was preempted
  std::size_t top = 0;    // rows of a table; the rest is one row together; 0: all
  const IntervalReadings* readings = nullptr;  // null: none are told
  const Throttling* throttling = nullptr;      // null: nothing is told of quotas
  std::size_t width = 0;                       // of a line of a table, as in fitted_table.h
  // Counted; of what is not, pieces alone are told.
  bool calls = true;
  bool interrupts = true;
  bool faults = true;  // as calls or moments
};

void stat_table(const StatTable& table, const StatTold& told, const LineSink& line);
void stat_csv(const std::vector<StatTable>& tables, const StatTold& told, const LineSink& line);
std::string stat_json(const std::vector<StatTable>& tables, const StatTold& told);

}  // namespace kutrace::emit
