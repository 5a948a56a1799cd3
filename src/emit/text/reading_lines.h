// SPDX-License-Identifier: BSD-3-Clause
// The stable text form of what counters were read to be, one line a value, in order of time.
//
//   time_ns process|- level|total unit value|- "name"
#pragma once

#include <string>
#include <utility>

#include "emit/text/text_sink.h"
#include "model/readings.h"
#include "model/span_sink.h"

namespace kutrace::emit {

std::string reading_line(const CounterSeries& series, const Readings::Value& value);

class ReadingLines : public SpanSink {
 public:
  explicit ReadingLines(LineSink line) : line_(std::move(line)) {}
  void push(const Span&) override {}
  void end(TraceInfo& info) override;

 private:
  LineSink line_;
};

}  // namespace kutrace::emit
