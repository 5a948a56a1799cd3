// SPDX-License-Identifier: BSD-3-Clause
// Processes that moved to another control group while they were recorded. In: a trace, which is
// passed on; out: a warning that says how many, and for which group they count.
#pragma once

#include <string>

#include "model/processes.h"
#include "model/span_sink.h"

namespace kutrace::cli {

class MovedProcesses : public SpanStage {
 public:
  MovedProcesses(std::string trace, const NameTable& names, SpanSink& next)
      : SpanStage(next), trace_(std::move(trace)), names_(names) {}
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override;

 private:
  void warn(const TraceInfo& info) const;

  const std::string trace_;
  const NameTable& names_;
  Processes processes_;
  bool any_life_ = false;
};

}  // namespace kutrace::cli
