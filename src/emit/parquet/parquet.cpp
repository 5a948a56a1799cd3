// SPDX-License-Identifier: BSD-3-Clause
// Rows, row groups and the footer.
#include "emit/parquet/parquet.h"

#include <fmt/format.h>

#include "base/text.h"
#include "emit/parquet/thrift.h"
#include "emit/stream/binary.h"

namespace kutrace::emit {

namespace {

constexpr const char* kMagic = "PAR1";
constexpr std::uint64_t kPageRows = std::uint64_t{1} << 17;
constexpr std::uint64_t kGroupRows = std::uint64_t{1} << 20;

}  // namespace

ParquetSink::ParquetSink(const NameTable& names, TakeBytes take)
    : names_(names),
      take_(std::move(take)),
      columns_{{{"start_ns", ParquetColumn::Type::kInt64},
                {"dur_ns", ParquetColumn::Type::kInt64},
                {"wall", ParquetColumn::Type::kMicroseconds, true},
                {"kind", ParquetColumn::Type::kText},
                {"name", ParquetColumn::Type::kText},
                {"cpu", ParquetColumn::Type::kInt32, true},
                {"tid", ParquetColumn::Type::kInt32, true},
                {"thread", ParquetColumn::Type::kText},
                {"event", ParquetColumn::Type::kInt64},
                {"arg", ParquetColumn::Type::kInt64},
                {"result", ParquetColumn::Type::kInt64, true},
                {"rpc", ParquetColumn::Type::kInt64},
                {"ipc", ParquetColumn::Type::kInt32},
                {"call_id", ParquetColumn::Type::kInt64, true},
                {"to_tid", ParquetColumn::Type::kInt32, true}}} {}

void ParquetSink::begin(const TraceInfo& known) {
  wall_usec_ = static_cast<std::int64_t>(known.wall_usec);
  take_(kMagic);
  written_ = 4;
}

void ParquetSink::push(const Span& span) {
  const NameId thread = threads_.name_at(span);
  columns_[kStart].add(span.start);
  columns_[kDuration].add(span.duration);
  columns_[kWall].add_if(wall_usec_ != 0, wall_usec_ + span.start / 1000);
  columns_[kKind].add_text(static_cast<std::uint64_t>(span.kind), span_kind_name(span.kind));
  columns_[kName].add_text(span.name, names_.text(span.name));
  columns_[kCpu].add_if(span.cpu != kNoCpu, span.cpu);
  columns_[kTid].add_if(span.pid != kNoPid, span.pid);
  columns_[kThread].add_text(thread, names_.text(thread));
  columns_[kEvent].add(span.event);
  columns_[kArgument].add(static_cast<std::int64_t>(span.arg));
  columns_[kResult].add_if(span.has_result, span.result.value);
  columns_[kRpc].add(span.rpc);
  columns_[kIpc].add(span.ipc);
  columns_[kCall].add_if(span.call != CallId::kNone, static_cast<std::int64_t>(span.call));
  columns_[kOtherTid].add_if(is_arc(span.kind) && span.other != kNoPid, span.other);
  ++rows_;
  ++group_rows_;
  if (++page_rows_ == kPageRows) end_page();
  if (group_rows_ == kGroupRows) end_group();
}

void ParquetSink::end_page() {
  page_rows_ = 0;
  for (ParquetColumn& column : columns_) {
    if (failed_) failed_ = column.end_page();
  }
}

void ParquetSink::end_group() {
  if (group_rows_ == 0 || !failed_) return;
  std::uint64_t unpacked = 0;
  std::uint64_t packed = 0;
  const std::uint64_t offset = written_;
  for (ParquetColumn& column : columns_) {
    Result<std::string> bytes = column.end_group(written_);
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

std::string ParquetSink::footer(const TraceInfo& info) const {
  Thrift meta;
  meta.i32(1, 1);
  meta.list(2, Thrift::Type::kStruct, columns_.size() + 1);
  meta.begin_element();
  meta.text(4, "spans");
  meta.i32(5, static_cast<std::int32_t>(columns_.size()));
  meta.end();
  for (const ParquetColumn& column : columns_) column.describe_schema(meta);
  meta.i64(3, static_cast<std::int64_t>(rows_));
  meta.list(4, Thrift::Type::kStruct, groups_);
  meta.raw(group_texts_);
  meta.list(5, Thrift::Type::kStruct, 5);
  const auto fact = [&meta](const char* key, const std::string& value) {
    meta.begin_element();
    meta.text(1, key);
    meta.text(2, value);
    meta.end();
  };
  fact("kutrace.schema", "1");
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

Status ParquetSink::finish(const TraceInfo& info) {
  end_group();
  KUTRACE_TRY(failed_);
  std::string end = footer(info);
  append_little_endian(end, end.size(), 4);
  take_(end + kMagic);
  return {};
}

}  // namespace kutrace::emit
