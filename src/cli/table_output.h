// SPDX-License-Identifier: BSD-3-Clause
// Where a command's answer goes, and as what: --format and -o. In: these words; out: the form, and
// a file that takes lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command.h"

namespace kutrace::cli {

enum class TableForm : std::uint8_t { kTable, kCsv, kJson };

// "table", "csv" or "json"; nothing: another word.
std::optional<TableForm> table_form(std::string_view word);

struct TableOptions {
  std::string format;
  std::string output = "-";

  // As --format says, else as the output's name does.
  TableForm form() const;
  // Whether the answer is to be seen in a page: the output's name says so, and --format nothing.
  bool is_page() const;
};

// Of a table whose columns may go where there is no room for them (--wide).
struct WidthOptions {
  bool wide = false;
};
void add_width_options(const Command& command, WidthOptions& options);
// Columns of the terminal that the table goes to; 0: it goes to none, or all are wanted.
std::size_t table_width(const TableOptions& table, const WidthOptions& options);

// What an output may be called: commands that do not write pages refuse the names of pages.
enum class Pages : std::uint8_t { kNone, kWritten };
void add_table_options(const Command& command, TableOptions& options, Pages pages = Pages::kNone);

// What `write` hands over, line by line, becomes the output, whole or not at all.
using TakeLine = std::function<void(std::string_view)>;
Status write_lines(const std::string& output, const std::function<Status(const TakeLine&)>& write);

}  // namespace kutrace::cli
