// SPDX-License-Identifier: BSD-3-Clause
// Gives samples the names of the code they hit; all other spans pass as they are.
#pragma once

#include "model/sample_names.h"
#include "model/span.h"

namespace kutrace {

class NameSamples : public SpanSink {
 public:
  NameSamples(SampleNames& names, SpanSink& sink) : names_(names), sink_(sink) {}

  void push(const Span& span) override {
    if (span.kind != SpanKind::kSample) return sink_.push(span);
    Span named = span;
    const NameId name = names_.name(span.start + span.duration, span.other, span.value);
    if (name != kNoName) named.name = name;
    sink_.push(named);
  }

 private:
  SampleNames& names_;
  SpanSink& sink_;
};

}  // namespace kutrace
