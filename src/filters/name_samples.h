// SPDX-License-Identifier: BSD-3-Clause
// Gives samples the names of the code they hit; all else passes as it is.
#pragma once

#include "model/sample_names.h"
#include "model/span_sink.h"

namespace kutrace::filters {

class NameSamples : public SpanStage {
 public:
  NameSamples(SampleNames& names, SpanSink& next) : SpanStage(next), names_(names) {}

  void push(const Span& span) override {
    if (span.kind != SpanKind::kSample) return next().push(span);
    Span named = span;
    const NameId name = names_.name(span.start + span.duration, span.other, span.value);
    if (name != kNoName) named.name = name;
    next().push(named);
  }

 private:
  SampleNames& names_;
};

}  // namespace kutrace::filters
