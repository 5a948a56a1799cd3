// SPDX-License-Identifier: BSD-3-Clause
// A table of a trace: its columns by name and meaning, and the value of each row. In: packed
// columns and lists that their numbers point into; out: whole numbers, texts by number, or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"
#include "query/packed_column.h"

namespace kutrace::query {

// The value of a row that has none: SQL's NULL.
constexpr std::int64_t kNull = std::numeric_limits<std::int64_t>::min();

// Texts of all tables. The number of a text is its id, 0 is no text.
using Texts = NameTable;

// What the numbers of a column point into.
using List = std::vector<std::int64_t>;

enum class ColumnType : std::uint8_t { kInteger, kText };

struct Column {
  std::string_view name;
  ColumnType type = ColumnType::kInteger;
  std::string_view meaning;
  const PackedColumn* base = nullptr;
  const PackedColumn* plus = nullptr;   // is added
  const PackedColumn* known = nullptr;  // where it is 0 there is no value
  const List* list = nullptr;           // the base is a place in it
  std::int64_t null = kNull;            // this value means that there is none

  bool is_plain() const { return plus == nullptr && known == nullptr && list == nullptr; }
  std::int64_t value(std::size_t row) const;
};

class Table {
 public:
  Table(std::string_view name, std::string_view meaning) : name_(name), meaning_(meaning) {}

  std::string_view name() const { return name_; }
  std::string_view meaning() const { return meaning_; }
  const std::vector<Column>& columns() const { return columns_; }
  // The number of a column; there must be one of that name.
  std::size_t number(std::string_view column) const;
  std::size_t rows() const { return storage_.empty() ? 0 : storage_.front().rows(); }
  std::size_t blocks() const { return storage_.empty() ? 0 : storage_.front().blocks(); }
  std::size_t block_rows(std::size_t block) const { return storage_.front().block(block).rows; }
  std::size_t bytes() const;

  // Its address stays. Every row is appended to each.
  PackedColumn& store() { return storage_.emplace_back(); }
  void add(Column column) { columns_.push_back(column); }
  void finish();

 private:
  std::string_view name_;
  std::string_view meaning_;
  std::deque<PackedColumn> storage_;
  std::vector<Column> columns_;
};

}  // namespace kutrace::query
