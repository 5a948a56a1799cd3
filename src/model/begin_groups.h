// SPDX-License-Identifier: BSD-3-Clause
// Control groups in which processes begin, for forms of traces that do not tell when that was. In:
// a trace; out: the same. Where any process moved, facts tell the group in which each began that
// had it of its parent: who does not know when can only take the parent's last one.
#pragma once

#include "model/processes.h"
#include "model/span_sink.h"

namespace kutrace {

class BeginGroups : public SpanStage {
 public:
  explicit BeginGroups(SpanSink& next) : SpanStage(next) {}
  void begin(const TraceInfo& known) override;
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override;

 private:
  bool may_have_moves_ = false;
  Processes processes_;
};

}  // namespace kutrace
