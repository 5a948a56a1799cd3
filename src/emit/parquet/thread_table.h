// SPDX-License-Identifier: BSD-3-Clause
// Threads as rows of a Parquet file, each with its process, its control group and its sums. In:
// their lives; out: bytes, at the end. Memory grows with threads.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "emit/parquet/parquet_file.h"
#include "emit/stream/export_sink.h"
#include "model/names.h"
#include "reports/thread_names.h"

namespace kutrace::emit {

class ThreadTable : public ExportSink {
 public:
  ThreadTable(const NameTable& names, TakeBytes take);

  void begin(const TraceInfo& known) override { file_.begin(known); }
  void push(const Span&) override {}
  void life(const ThreadLife& life) override { lives_.emplace_back(who_.life(life), life); }
  void end(TraceInfo& info) override { who_.finish(info); }
  Status finish(const TraceInfo& info) override;

 private:
  void add(std::uint32_t row, const ThreadLife& life, const TraceInfo& info);
  void text(const std::string& word);

  reports::ThreadNames who_;
  std::vector<std::pair<std::uint32_t, ThreadLife>> lives_;  // with the row that who_ gave them
  NameTable texts_;
  ParquetFile file_;
};

}  // namespace kutrace::emit
