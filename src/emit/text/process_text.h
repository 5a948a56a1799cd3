// SPDX-License-Identifier: BSD-3-Clause
// The stable text form of processes, one line each, in the order in which they began. Two processes
// that have one number in turn are two lines, with different ids.
//
//   begin_ns duration_ns number id parent threads "name"
#pragma once

#include <string>
#include <utility>

#include "emit/text/text_sink.h"
#include "model/names.h"
#include "model/processes.h"
#include "model/span_sink.h"

namespace kutrace::emit {

std::string process_line(const Process& process, const NameTable& names);

class ProcessText : public SpanSink {
 public:
  ProcessText(const NameTable& names, LineSink line) : names_(names), line_(std::move(line)) {}
  void push(const Span&) override {}
  void life(const ThreadLife& life) override { processes_.add(life); }
  void end(TraceInfo& info) override;

 private:
  const NameTable& names_;
  LineSink line_;
  Processes processes_;
};

}  // namespace kutrace::emit
