// SPDX-License-Identifier: BSD-3-Clause
// Replays a trace for a test: its spans as text, its facts, and the law checked on the way.
#pragma once

#include <string>
#include <vector>

#include "format/raw_file.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span.h"
#include "model/trace_info.h"
#include "reports/law_check.h"
#include "support/trace_builder.h"

namespace kutrace::test {

struct Replay {
  NameTable names;
  std::vector<Span> spans;
  TraceInfo info;
  reports::LawReport law;
  std::vector<std::string> calls;  // lines of emit/text/call_text.h, in the order of their ends
  std::vector<std::string> system_calls;  // lines of SyscallLines, emit/text/syscalls_text.h
  std::vector<ThreadLife> lives;

  // "kind start+duration name[(arg)][=result]" of each execution span of the CPU, in order.
  std::vector<std::string> timeline(CpuId cpu) const;
  // The same for spans of one kind anywhere, "cpu" being the pid's.
  std::vector<std::string> of_kind(SpanKind kind) const;
};

// Fails the test if the file cannot be replayed or the law does not hold.
void replay(const RawFile& file, Replay& out);
// The same of a trace that was just built, ended at `stop`.
Replay replayed(TraceBuilder& trace, Ticks stop);

}  // namespace kutrace::test
