// SPDX-License-Identifier: BSD-3-Clause
// A trace in Chrome's JSON (Trace Event Format), which about:tracing, Perfetto and speedscope read.
// In: spans and calls; out: a line for each event, of one process of CPUs and one of threads.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "base/by_number.h"
#include "emit/stream/export_sink.h"
#include "emit/stream/text_buffer.h"
#include "model/by_name.h"
#include "model/names.h"

namespace kutrace::emit {

class ChromeSink : public ExportSink {
 public:
  ChromeSink(const NameTable& names, TakeBytes take);

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  void call(const Call& call) override;
  Status finish(const TraceInfo& info) override;

 private:
  struct Place {
    std::uint64_t process = 0;
    std::uint64_t row = 0;
  };

  TextBuffer& slice(Place place, Ns start, Ns duration, std::string_view category, NameId name);
  void moment(Place place, const Span& span);
  void end_of(const Span& span, std::string_view phase, Place place, Ns time);
  void arc(const Span& span);
  void of_thread_alone(const Span& span);
  TextBuffer& event(std::string_view phase, Place place, std::string_view category, NameId name);
  TextBuffer& line(std::string_view phase, std::uint64_t process);
  void name_row(Place place, std::string_view what, std::string_view name);
  Place of_thread(Pid pid);
  Place of_cpu(CpuId cpu);

  const NameTable& names_;
  TextBuffer lines_;
  ByName<std::string> texts_;  // inside quotes
  std::uint64_t pairs_ = 0;
  ByNumber<bool> is_known_;  // of threads
  std::unordered_set<Pid> threads_;
  std::unordered_set<CpuId> cpus_;
  CpuId last_cpu_ = kNoCpu;
  bool first_ = true;
};

}  // namespace kutrace::emit
