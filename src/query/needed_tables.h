// SPDX-License-Identifier: BSD-3-Clause
// Tables of a trace of which only what statements need is read. In: ways to read the trace, and
// needs; out: tables that hold them. Slabs are read where the trace has some that suffice, else the
// whole stream.
#pragma once

#include <functional>
#include <memory>

#include "model/span_slabs.h"
#include "query/database.h"
#include "query/trace_tables.h"

namespace kutrace::query {

class NeededTables : public TableReader {
 public:
  struct Source {
    // Null where the trace has none.
    std::function<std::unique_ptr<SpanSlabs>()> slabs;
    // May be called again.
    std::function<Result<TraceInfo>(SpanSink&)> replay;
    // Is told what is known of the trace, when it was read for the first time.
    std::function<void(const TraceInfo&)> first_read;
  };

  // `names`: of the source; they must stay.
  NeededTables(const NameTable& names, Source source)
      : source_(std::move(source)), tables_(names, TraceTables::Kept::kNeeded) {}

  const TraceTables& tables() const { return tables_; }
  Result<bool> read(const Needs& needs) override;
  Status state() const override { return tables_.state(); }

 private:
  Result<TraceInfo> read_anew(const Needs& needs);

  Source source_;
  std::unique_ptr<SpanSlabs> slabs_;
  TraceTables tables_;
  bool was_read_ = false;
};

}  // namespace kutrace::query
