// SPDX-License-Identifier: BSD-3-Clause
// Choosing columns.
#include "emit/text/fitted_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "emit/text/wrapped_lines.h"

namespace kutrace::emit {

namespace {

// Of what has a line of its own.
constexpr std::size_t kIndent = 4;

}  // namespace

FittedTable::FittedTable(std::vector<FittedColumn> columns, std::size_t name_width,
                         std::size_t most)
    : columns_(std::move(columns)),
      shown_(columns_.size(), true),
      name_width_(name_width),
      most_(most) {
  if (most_ == 0) return;
  std::size_t width = 1 + name_width_;
  for (const FittedColumn& column : columns_) width += column.width + 1;
  while (width > most_) {
    std::size_t first = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_first = shown_[i] && columns_[i].goes != 0 &&
                            (first == columns_.size() || columns_[i].goes >= columns_[first].goes);
      if (is_first) first = i;
    }
    if (first == columns_.size()) return;
    shown_[first] = false;
    gone_ += ' ' + columns_[first].head;
    width -= columns_[first].width + 1;
  }
}

// Cells are numbers and short words of ASCII; there may be millions of them.
std::string FittedTable::cells_text(const std::vector<std::string>& cells) const {
  check(cells.size() == columns_.size(), "a row has a cell for each column");
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!shown_[i]) continue;
    text.append(columns_[i].width - std::min(cells[i].size(), columns_[i].width), ' ');
    (text += cells[i]) += ' ';
  }
  return text;
}

void FittedTable::head(std::string_view name, std::string_view rest, const LineSink& line) const {
  std::vector<std::string> heads;
  heads.reserve(columns_.size());
  for (const FittedColumn& column : columns_) heads.push_back(column.head);
  row(heads, name, rest, line);
}

void FittedTable::row(const std::vector<std::string>& cells, std::string_view name,
                      std::string_view rest, const LineSink& line) const {
  const auto put = [&line](std::string_view text) {
    line(text.substr(0, text.find_last_not_of(' ') + 1));
  };
  const std::string text = cells_text(cells);
  std::string named = text;
  (named += ' ') += name;
  if (rest.empty()) return put(named);
  const std::string whole = name_width_ == 0
                                ? fmt::format("{} {}", text, rest)
                                : fmt::format("{} {:<{}} {}", text, name, name_width_, rest);
  if (most_ == 0 || whole.size() <= most_) return put(whole);
  put(named);
  wrapped(rest, kIndent, most_, line);
}

void FittedTable::foot(const LineSink& line) const {
  if (!gone_.empty()) {
    wrapped(fmt::format("(no room for{}; --wide shows all)", gone_), 0, most_, line);
  }
}

}  // namespace kutrace::emit
