// SPDX-License-Identifier: BSD-3-Clause
// Rows, row groups and the footer.
#include "emit/parquet/parquet_file.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "base/wall_clock.h"
#include "emit/parquet/thrift.h"
#include "emit/stream/binary.h"

namespace kutrace::emit {

namespace {

constexpr const char* kMagic = "PAR1";
// Goes up when a column changes its meaning or leaves; new columns come before `trace`.
constexpr const char* kSchema = "2";
constexpr std::uint64_t kPageRows = std::uint64_t{1} << 17;
constexpr std::uint64_t kGroupRows = std::uint64_t{1} << 20;

}  // namespace

ParquetFile::ParquetFile(const char* table, std::vector<ParquetColumn> columns, TakeBytes take)
    : table_(table), columns_(std::move(columns)), take_(std::move(take)) {
  columns_.emplace_back("trace", ParquetColumn::Type::kInt64);
}

void ParquetFile::begin(const TraceInfo& known) {
  wall_usec_ = wall_ns(known.wall_usec) / 1000;
  take_(kMagic);
  written_ = 4;
}

void ParquetFile::end_row() {
  number(wall_usec_);
  check(column_ == columns_.size(), "a row of Parquet lacks a value");
  ++rows_;
  ++group_rows_;
  if (++page_rows_ == kPageRows) end_page();
  if (group_rows_ == kGroupRows) end_group();
}

void ParquetFile::end_page() {
  page_rows_ = 0;
  for (ParquetColumn& column : columns_) {
    if (failed_) failed_ = column.end_page(packer_);
  }
}

void ParquetFile::end_group() {
  if (group_rows_ == 0 || !failed_) return;
  std::uint64_t unpacked = 0;
  std::uint64_t packed = 0;
  const std::uint64_t offset = written_;
  for (ParquetColumn& column : columns_) {
    Result<std::string> bytes = column.end_group(written_, packer_);
    if (!bytes) {
      failed_ = fail(bytes.error());
      return;
    }
    take_(*bytes);
    written_ += bytes->size();
    unpacked += column.unpacked_bytes();
    packed += column.packed_bytes();
  }
  Thrift group;
  group.list(1, Thrift::Type::kStruct, columns_.size());
  for (const ParquetColumn& column : columns_) column.describe_chunk(group);
  group.i64(2, static_cast<std::int64_t>(unpacked));
  group.i64(3, static_cast<std::int64_t>(group_rows_));
  group.i64(5, static_cast<std::int64_t>(offset));
  group.i64(6, static_cast<std::int64_t>(packed));
  group.end();
  group_texts_ += group.bytes();
  ++groups_;
  group_rows_ = 0;
  page_rows_ = 0;
}

std::string ParquetFile::footer(const TraceInfo& info) const {
  Thrift meta;
  meta.i32(1, 1);
  meta.list(2, Thrift::Type::kStruct, columns_.size() + 1);
  meta.begin_element();
  meta.text(4, table_);
  meta.i32(5, static_cast<std::int32_t>(columns_.size()));
  meta.end();
  for (const ParquetColumn& column : columns_) column.describe_schema(meta);
  meta.i64(3, static_cast<std::int64_t>(rows_));
  meta.list(4, Thrift::Type::kStruct, groups_);
  meta.raw(group_texts_);
  meta.list(5, Thrift::Type::kStruct, 6);
  const auto fact = [&meta](const char* key, const std::string& value) {
    meta.begin_element();
    meta.text(1, key);
    meta.text(2, value);
    meta.end();
  };
  fact("kutrace.schema", kSchema);
  fact("kutrace.table", table_);
  fact("kutrace.host", printable(info.host_name));
  fact("kutrace.kernel", printable(info.kernel_version));
  fact("kutrace.begin_ns", fmt::format("{}", info.begin));
  fact("kutrace.end_ns", fmt::format("{}", info.end));
  meta.text(6, "kutrace version 1 (build 1)");  // of this writer
  meta.list(7, Thrift::Type::kStruct, columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    meta.begin_element();
    meta.begin(1);
    meta.end();
    meta.end();
  }
  meta.end();
  return meta.bytes();
}

Status ParquetFile::finish(const TraceInfo& info) {
  end_group();
  KUTRACE_TRY(failed_);
  std::string end = footer(info);
  append_little_endian(end, end.size(), 4);
  take_(end + kMagic);
  return {};
}

}  // namespace kutrace::emit
