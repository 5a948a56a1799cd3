// SPDX-License-Identifier: BSD-3-Clause
// What was not recorded, as rows of a Parquet file. In: what is known of a trace; out: bytes, at
// the end.
#pragma once

#include "emit/parquet/parquet_file.h"
#include "emit/stream/export_sink.h"

namespace kutrace::emit {

class LossTable : public ExportSink {
 public:
  explicit LossTable(TakeBytes take);

  void begin(const TraceInfo& known) override { file_.begin(known); }
  void push(const Span&) override {}
  Status finish(const TraceInfo& info) override;

 private:
  ParquetFile file_;
};

}  // namespace kutrace::emit
