// SPDX-License-Identifier: BSD-3-Clause
// A Parquet file of one table. In: its columns, then rows, a value for each column in their order;
// out: bytes, a row group at a time, and the footer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emit/parquet/page_packer.h"
#include "emit/parquet/parquet_column.h"
#include "emit/stream/export_sink.h"

namespace kutrace::emit {

class ParquetFile {
 public:
  // `table`: its name, which the footer tells. A last column `trace` is added: when the recording
  // began, microseconds since 1970. With the host it names the recording.
  ParquetFile(const char* table, std::vector<ParquetColumn> columns, TakeBytes take);

  // What is known before the first row.
  void begin(const TraceInfo& known);

  // A row: `row()`, then each column's value, then `end_row`.
  ParquetFile& row() {
    column_ = 0;
    return *this;
  }
  ParquetFile& number(std::int64_t value) {
    columns_[column_++].add(value);
    return *this;
  }
  ParquetFile& number_if(bool is_there, std::int64_t value) {
    columns_[column_++].add_if(is_there, value);
    return *this;
  }
  // `key` stands for the text, and always for the same of the column.
  ParquetFile& text(std::uint64_t key, std::string_view text) {
    columns_[column_++].add_text(key, text);
    return *this;
  }
  ParquetFile& text_if(bool is_there, std::uint64_t key, std::string_view text) {
    return is_there ? this->text(key, text) : number_if(false, 0);
  }
  // When it was on the wall clock; missing where that was not recorded.
  ParquetFile& wall(Ns time) { return number_if(wall_usec_ != 0, wall_usec_ + time / 1000); }
  void end_row();

  // Wall clock of time 0, microseconds since 1970; 0: not recorded.
  std::int64_t wall_usec() const { return wall_usec_; }
  Status finish(const TraceInfo& info);

 private:
  void end_page();
  void end_group();
  std::string footer(const TraceInfo& info) const;

  const char* table_;
  std::vector<ParquetColumn> columns_;
  TakeBytes take_;
  PagePacker packer_;
  std::int64_t wall_usec_ = 0;
  std::size_t column_ = 0;  // whose value is next
  std::uint64_t written_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t group_rows_ = 0;
  std::uint64_t page_rows_ = 0;
  std::size_t groups_ = 0;
  std::string group_texts_;  // RowGroup of each, as the footer has it
  Status failed_;
};

}  // namespace kutrace::emit
