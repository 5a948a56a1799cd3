// SPDX-License-Identifier: BSD-3-Clause
// All spans as CSV, a line for each, with the columns of the Parquet form. In: spans; out: lines.
#pragma once

#include <string>

#include "emit/stream/export_sink.h"
#include "emit/stream/text_buffer.h"
#include "emit/stream/thread_names.h"
#include "model/by_name.h"
#include "model/names.h"

namespace kutrace::emit {

class CsvSink : public ExportSink {
 public:
  CsvSink(const NameTable& names, TakeBytes take);

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  Status finish(const TraceInfo& info) override;

 private:
  TextBuffer lines_;
  ThreadNames threads_;
  ByName<std::string> fields_;
};

}  // namespace kutrace::emit
