// SPDX-License-Identifier: BSD-3-Clause
// critical_path(tid, from_ns, to_ns) of `kutrace query`: the rows that `kutrace why --format csv`
// prints of that interval. In: a trace; out: a function of SQL. What happened in the first interval
// is read and kept; when a second one is asked for, what happened in the whole trace.
#pragma once

#include <map>
#include <memory>

#include "model/names.h"
#include "query/row_function.h"
#include "read/trace/trace_input.h"
#include "reports/happenings.h"
#include "reports/interval.h"

namespace kutrace::cli {

class PathRows {
 public:
  explicit PathRows(const read::TraceInput& input) : input_(input) {}
  PathRows(const PathRows&) = delete;
  PathRows& operator=(const PathRows&) = delete;
  ~PathRows() = default;

  // This must outlive it.
  query::RowFunction function();

 private:
  class Keep;

  Result<query::RowFunction::Rows> rows(reports::Interval interval);
  Status read(const reports::Interval& interval);

  const read::TraceInput& input_;
  NameTable names_;
  std::unique_ptr<reports::Happenings> happenings_;
  TimeWindow kept_;  // of happenings_
  TraceInfo info_;
  std::multimap<Pid, ThreadLife> lives_;
};

}  // namespace kutrace::cli
