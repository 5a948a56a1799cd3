// SPDX-License-Identifier: BSD-3-Clause
// Rows of a query as text. In: names of columns and rows of cells; out: a table, CSV or JSON, piece
// by piece. Memory does not grow with the rows: a table's columns are as wide as the first thousand
// rows need, and wider where a later cell is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/table_output.h"
#include "query/database.h"

namespace kutrace::cli {

// False: it could not be written.
using TextOut = std::function<bool(std::string_view)>;

// Several results follow one another: tables and CSV with a blank line between them. JSON of so
// many `results` is an array of their arrays; of one, or where more may come, its array on its own
// lines.
std::unique_ptr<query::RowSink> rows_as(TableForm form, TextOut out, std::size_t results = 1);

}  // namespace kutrace::cli
