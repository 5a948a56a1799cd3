// SPDX-License-Identifier: BSD-3-Clause
// Cells to text: whole and real numbers as SQL writes them, text made safe to show.
#include "cli/query_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "emit/stream/csv_field.h"

namespace kutrace::cli {

namespace {

using query::Cell;

constexpr std::size_t kRowsThatDecide = 1000;
constexpr std::string_view kGap = "  ";

std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  // 3.0 stays a real.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string cell_text(const Cell& cell, std::string_view null) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return real_text(*real);
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  return std::string(null);
}

bool is_number(const Cell& cell) {
  return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
}

// Line by line, so that a picture of several lines stays one.
std::vector<std::string> shown_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.push_back(printable(text.substr(0, end)));
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string shown(std::string_view text) {
  return fmt::format("{}", fmt::join(shown_lines(text), "\n"));
}

// Of valid UTF-8: characters, which are taken to be one column wide each.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return !continues_character(byte); }));
}

class Table : public query::RowSink {
 public:
  explicit Table(TextOut out) : out_(std::move(out)) {}

  void columns(const std::vector<std::string>& names) override {
    if (began_) out_("\n");
    began_ = true;
    columns_.clear();
    rows_.clear();
    widths_known_ = false;
    for (const std::string& name : names) {
      columns_.push_back({printable(name), width_of(printable(name)), true});
    }
  }
  bool row(const std::vector<Cell>& cells) override {
    Row made;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      made.push_back(shown_lines(cell_text(cells[i], "NULL")));
      if (widths_known_) continue;
      const bool has_value = !std::holds_alternative<std::monostate>(cells[i]);
      if (has_value && !is_number(cells[i])) columns_[i].right = false;
      for (const std::string& line : made.back()) {
        columns_[i].width = std::max(columns_[i].width, width_of(line));
      }
    }
    if (widths_known_) return write(made);
    rows_.push_back(std::move(made));
    return rows_.size() < kRowsThatDecide || write_held();
  }
  void end() override {
    if (!widths_known_) write_held();
  }

 private:
  using Row = std::vector<std::vector<std::string>>;  // lines of each cell
  struct Shown {
    std::string name;
    std::size_t width = 0;
    bool right = true;  // numbers only
  };

  bool write_held() {
    widths_known_ = true;
    if (columns_.empty()) return true;
    Row heading;
    for (const Shown& column : columns_) heading.push_back({column.name});
    bool good = write(heading);
    for (const Row& row : rows_) good = good && write(row);
    rows_.clear();
    return good;
  }
  bool write(const Row& row) {
    std::size_t lines = 0;
    for (const auto& cell : row) lines = std::max(lines, cell.size());
    std::string text;
    for (std::size_t line = 0; line < lines; ++line) text += line_of(row, line) + '\n';
    return out_(text);
  }
  std::string line_of(const Row& row, std::size_t line) const {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = line < row[i].size() ? row[i][line] : std::string();
      const std::size_t width = width_of(cell);
      const std::string blanks(columns_[i].width - std::min(width, columns_[i].width), ' ');
      if (i != 0) text += kGap;
      text += columns_[i].right ? blanks + cell : cell + blanks;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  TextOut out_;
  bool began_ = false;
  bool widths_known_ = false;
  std::vector<Shown> columns_;
  std::vector<Row> rows_;
};

class Csv : public query::RowSink {
 public:
  explicit Csv(TextOut out) : out_(std::move(out)) {}

  void columns(const std::vector<std::string>& names) override {
    std::string line = began_ ? "\n" : "";
    began_ = true;
    for (const std::string& name : names) {
      if (&name != &names.front()) line += ',';
      line += emit::csv_field(printable(name));
    }
    out_(line + '\n');
  }
  bool row(const std::vector<Cell>& cells) override {
    std::string line;
    for (const Cell& cell : cells) {
      if (&cell != &cells.front()) line += ',';
      line += emit::csv_field(shown(cell_text(cell, "")));
    }
    return out_(line + '\n');
  }
  void end() override {}

 private:
  TextOut out_;
  bool began_ = false;
};

// An object has each key once: of columns of one name the second is NAME_2, the third NAME_3, or
// the next number of which there is no column.
std::vector<std::string> keys_of(const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  for (const std::string& name : names) keys.push_back(printable(name));
  std::set<std::string> taken(keys.begin(), keys.end());
  std::set<std::string> met;
  for (std::string& key : keys) {
    if (met.insert(key).second) continue;
    std::size_t number = 2;
    while (!taken.insert(fmt::format("{}_{}", key, number)).second) ++number;
    key = fmt::format("{}_{}", key, number);
    met.insert(key);
  }
  return keys;
}

class Json : public query::RowSink {
 public:
  Json(TextOut out, std::size_t results) : out_(std::move(out)), results_(results) {}

  void columns(const std::vector<std::string>& names) override {
    names_.clear();
    for (const std::string& name : keys_of(names)) names_.push_back(json_escaped(name));
    first_ = true;
    out_(results_ > 1 && ended_ == 0 ? "[[" : "[");
  }
  bool row(const std::vector<Cell>& cells) override {
    std::string line = first_ ? "\n{" : ",\n{";
    first_ = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += fmt::format("{}\"{}\":{}", i == 0 ? "" : ",", names_[i], value(cells[i]));
    }
    return out_(line + "}");
  }
  void end() override {
    ++ended_;
    const std::string_view behind = ended_ < results_ ? ",\n" : results_ > 1 ? "]\n" : "\n";
    out_(fmt::format("{}{}", first_ ? "]" : "\n]", behind));
  }

 private:
  static std::string value(const Cell& cell) {
    if (const auto* text = std::get_if<std::string_view>(&cell)) {
      std::vector<std::string> lines = shown_lines(*text);
      for (std::string& line : lines) line = json_escaped(line);
      return fmt::format("\"{}\"", fmt::join(lines, "\\n"));
    }
    const auto* real = std::get_if<double>(&cell);
    return real != nullptr && !std::isfinite(*real) ? "null" : cell_text(cell, "null");
  }

  TextOut out_;
  std::size_t results_;
  std::size_t ended_ = 0;
  bool first_ = true;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<query::RowSink> rows_as(TableForm form, TextOut out, std::size_t results) {
  if (form == TableForm::kJson) return std::make_unique<Json>(std::move(out), results);
  if (form == TableForm::kCsv) return std::make_unique<Csv>(std::move(out));
  return std::make_unique<Table>(std::move(out));
}

}  // namespace kutrace::cli
