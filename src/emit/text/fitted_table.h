// SPDX-License-Identifier: BSD-3-Clause
// A table that fits a terminal. In: columns, each with how soon it may go, and how wide a line may
// be; out: lines of the columns that have room. Numbers are never shortened: a column is there or
// not. The last column is a name, and behind it stands what has no column, which goes to lines of
// its own where there is no room.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "emit/text/text_sink.h"

namespace kutrace::emit {

struct FittedColumn {
  std::string head;
  std::size_t width = 0;
  unsigned goes = 0;  // the highest first; 0: never
};

class FittedTable {
 public:
  // Lines are at most so long, as far as what never goes allows; 0: as long as they are.
  FittedTable(std::vector<FittedColumn> columns, std::size_t name_width, std::size_t most);

  void head(std::string_view name, std::string_view rest, const LineSink& line) const;
  // A cell for each column.
  void row(const std::vector<std::string>& cells, std::string_view name, std::string_view rest,
           const LineSink& line) const;
  // Which columns had no room, if any; comes last.
  void foot(const LineSink& line) const;

 private:
  std::string cells_text(const std::vector<std::string>& cells) const;

  std::vector<FittedColumn> columns_;
  std::vector<bool> shown_;
  std::string gone_;
  std::size_t name_width_;
  std::size_t most_;
};

}  // namespace kutrace::emit
