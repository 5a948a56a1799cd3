// SPDX-License-Identifier: BSD-3-Clause
// Tables and sums of a trace as tables of SQLite, without a copy. In: a connection and what it
// shall show, which must outlive it; out: SQLite's code.
#pragma once

#include <sqlite3.h>

#include <deque>
#include <vector>

#include "query/row_function.h"
#include "query/sql_conditions.h"
#include "query/table.h"
#include "query/totals.h"
#include "query/value_sets.h"

namespace kutrace::query {

// What one name stands for.
struct ShownTable {
  std::string_view name;
  const Table* table = nullptr;
  const TextIndex* texts = nullptr;
  // As a function of two times, of which it shows what lies between them in part at least.
  bool overlap = false;
  Needs* needs = nullptr;  // what statements read of it is added there, while they are prepared
  const bool* takes_patterns = nullptr;  // LIKE and GLOB may be conditions of what is prepared now
};

struct ShownTotals {
  const Totals* totals = nullptr;
  const TextIndex* texts = nullptr;
  Needs* needs = nullptr;  // as above
  ValueSets* sets = nullptr;
  const bool* takes_patterns = nullptr;
};

int show_table(sqlite3* connection, ShownTable& shown);
int show_totals(sqlite3* connection, ShownTotals& shown);
int add_row_function(sqlite3* connection, RowFunction& function);

}  // namespace kutrace::query
