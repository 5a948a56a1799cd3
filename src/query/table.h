// SPDX-License-Identifier: BSD-3-Clause
// A table of a trace: its columns by name and meaning, and the value of each row. In: packed
// columns and lists that their numbers point into; out: whole numbers, texts by number, or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
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

// Brings the numbers of blocks that are foreseen.
class BlockFiller {
 public:
  virtual ~BlockFiller() = default;
  // Fills that block, others with it if that is cheap. False: it cannot; why is known to who reads.
  virtual bool fill(std::size_t block) = 0;
};

// A table keeps the rows that come while it is open, and of these the columns that were asked for.
// A block has kBlockRows rows or, where it was foreseen, fewer; row numbers have gaps then.
class Table {
 public:
  using Columns = std::uint64_t;  // a bit for each
  static constexpr Columns kAllColumns = ~Columns{0};

  Table(std::string_view name, std::string_view meaning) : name_(name), meaning_(meaning) {}

  std::string_view name() const { return name_; }
  std::string_view meaning() const { return meaning_; }
  const std::vector<Column>& columns() const { return columns_; }
  // The number of a column; there must be one of that name.
  std::size_t number(std::string_view column) const;
  std::size_t rows() const { return rows_; }
  std::size_t blocks() const { return block_rows_.size(); }
  std::size_t block_rows(std::size_t block) const { return block_rows_[block]; }
  std::size_t bytes() const;

  // Its address stays. Every row is appended to each.
  PackedColumn& store() { return storage_.emplace_back(); }
  void add(Column column) { columns_.push_back(column); }

  // Whether its rows were read, and these columns of them.
  bool has(Columns columns) const { return read_ && (columns & ~held_) == 0; }
  Columns held() const { return held_; }
  // Rows come, all anew; of these columns.
  void open(Columns columns);
  bool is_open() const { return open_; }
  // One row came.
  void add_row() {
    if (rows_++ % PackedColumn::kBlockRows == 0) block_rows_.push_back(0);
    ++block_rows_.back();
  }
  // The same with a value for each store.
  void add_row(const std::vector<std::int64_t>& values);
  // One more block, which `filler` brings when it is asked for.
  void foresee(std::size_t rows, BlockFiller& filler);
  // It came.
  void filled(std::size_t block) { filled_[block] = 1; }
  void finish();

  // Before numbers of a block are asked for. False: they cannot be had.
  bool fill(std::size_t block) const {
    return filler_ == nullptr || filled_[block] != 0 || filler_->fill(block);
  }
  bool is_filled(std::size_t block) const { return filler_ == nullptr || filled_[block] != 0; }

 private:
  std::string_view name_;
  std::string_view meaning_;
  std::deque<PackedColumn> storage_;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> block_rows_;
  std::size_t rows_ = 0;
  Columns held_ = 0;
  bool open_ = false;
  bool read_ = false;
  BlockFiller* filler_ = nullptr;
  std::vector<std::uint8_t> filled_;
};

// Which columns of which tables a statement reads; a table of which it reads none has its rows
// counted.
using Needs = std::map<const Table*, Table::Columns>;

}  // namespace kutrace::query
