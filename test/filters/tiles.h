// SPDX-License-Identifier: BSD-3-Clause
// Execution spans of random lengths, kinds and threads for tests of filters; the law holds.
#pragma once

#include <cstdint>
#include <vector>

#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::test {

struct Tiles {
  std::vector<Span> spans;  // CPUs interleaved, in time order per CPU
  TraceInfo info;
};

// Lengths are mostly below `typical`, some up to 100 times that.
Tiles random_tiles(NameTable& names, std::uint64_t seed, unsigned cpus, std::size_t spans,
                   Ns typical);

// Keeps what it gets.
class Collector : public SpanSink {
 public:
  void push(const Span& span) override { spans.push_back(span); }
  std::vector<Span> spans;
};

}  // namespace kutrace::test
