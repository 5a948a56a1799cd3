// SPDX-License-Identifier: BSD-3-Clause
// All spans as rows of a Parquet file, which engines of databases read. In: spans; out: bytes, a
// row group at a time. doc/exports.md lists the columns.
#pragma once

#include "emit/parquet/parquet_file.h"
#include "emit/stream/export_sink.h"
#include "emit/stream/thread_names.h"
#include "model/names.h"

namespace kutrace::emit {

class ParquetSink : public ExportSink {
 public:
  ParquetSink(const NameTable& names, TakeBytes take);

  void begin(const TraceInfo& known) override { file_.begin(known); }
  void push(const Span& span) override;
  Status finish(const TraceInfo& info) override { return file_.finish(info); }

 private:
  const NameTable& names_;
  ThreadNames threads_;
  ParquetFile file_;
};

}  // namespace kutrace::emit
