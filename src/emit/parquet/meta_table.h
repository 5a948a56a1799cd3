// SPDX-License-Identifier: BSD-3-Clause
// What is known of a trace, as rows of a Parquet file. In: that; out: bytes, at the end.
#pragma once

#include "emit/parquet/parquet_file.h"
#include "emit/stream/export_sink.h"

namespace kutrace::emit {

class MetaTable : public ExportSink {
 public:
  explicit MetaTable(TakeBytes take);

  void begin(const TraceInfo& known) override { file_.begin(known); }
  void push(const Span&) override {}
  Status finish(const TraceInfo& info) override;

 private:
  ParquetFile file_;
};

}  // namespace kutrace::emit
