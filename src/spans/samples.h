// SPDX-License-Identifier: BSD-3-Clause
// Samples of program counters. In: memory maps, symbols and the samples; out: a span from each
// CPU's sample before to this one, with the name of the code.
#pragma once

#include <vector>

#include "format/trace_clock.h"
#include "model/sample_names.h"
#include "model/span_sink.h"
#include "spans/thread_table.h"
#include "timeline/code_records.h"

namespace kutrace::spans {

class Samples {
 public:
  // `cpus`: one more than the highest CPU number.
  Samples(NameTable& names, ThreadTable& threads, SpanSink& sink, const timeline::CodeRecords& code,
          const TraceClock& clock, std::size_t cpus);

  // `span` is a moment (its start) with the CPU, the thread and the stack of what was sampled.
  void push(Span span, std::uint64_t program_counter);
  // Names of code. Times of successive questions must not go back.
  SampleNames& names() { return names_; }

 private:
  SampleNames names_;
  ThreadTable& threads_;
  SpanSink& sink_;
  std::vector<Ns> last_;  // by CPU number
};

}  // namespace kutrace::spans
