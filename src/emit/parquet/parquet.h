// SPDX-License-Identifier: BSD-3-Clause
// All spans as rows of a Parquet file, which engines of databases read. In: spans; out: bytes, a
// row group at a time. doc/exports.md lists the columns.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "emit/parquet/parquet_column.h"
#include "emit/stream/export_sink.h"
#include "emit/stream/thread_names.h"
#include "model/names.h"

namespace kutrace::emit {

class ParquetSink : public ExportSink {
 public:
  ParquetSink(const NameTable& names, TakeBytes take);

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  Status finish(const TraceInfo& info) override;

 private:
  enum Column : std::uint8_t {
    kStart,
    kDuration,
    kWall,
    kKind,
    kName,
    kCpu,
    kTid,
    kThread,
    kEvent,
    kArgument,
    kResult,
    kRpc,
    kIpc,
    kCall,
    kOtherTid,
    kColumns
  };

  void end_page();
  void end_group();
  std::string footer(const TraceInfo& info) const;

  const NameTable& names_;
  TakeBytes take_;
  ThreadNames threads_;
  std::array<ParquetColumn, kColumns> columns_;
  std::int64_t wall_usec_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t group_rows_ = 0;
  std::uint64_t page_rows_ = 0;
  std::size_t groups_ = 0;
  std::string group_texts_;  // RowGroup of each, as the footer has it
  Status failed_;
};

}  // namespace kutrace::emit
