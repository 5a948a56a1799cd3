// SPDX-License-Identifier: BSD-3-Clause
// Calls from entry to return as rows of a Parquet file. In: spans, for the names of threads, and
// calls; out: bytes, a row group at a time. The columns are called as those of `kutrace query`.
#pragma once

#include "emit/parquet/parquet_file.h"
#include "emit/stream/export_sink.h"
#include "emit/stream/thread_names.h"
#include "model/names.h"

namespace kutrace::emit {

class CallTable : public ExportSink {
 public:
  CallTable(const NameTable& names, TakeBytes take);

  void begin(const TraceInfo& known) override { file_.begin(known); }
  void push(const Span& span) override { threads_.name_at(span); }
  void call(const Call& call) override;
  Status finish(const TraceInfo& info) override { return file_.finish(info); }

 private:
  const NameTable& names_;
  ThreadNames threads_;
  ParquetFile file_;
};

}  // namespace kutrace::emit
