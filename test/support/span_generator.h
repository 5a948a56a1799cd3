// SPDX-License-Identifier: BSD-3-Clause
// A made-up machine whose spans fill a page of any size. In: how many; out: spans that keep the
// law, in the order a recording would give them.
#pragma once

#include <cstdint>

#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::test {

struct MachineShape {
  std::uint64_t spans = 100'000;  // about so many, overlays included
  unsigned cpus = 4;
  unsigned threads = 40;
  std::uint64_t seed = 1;
  Ns tick = 16;  // every time is a multiple of it
  bool with_loss = true;
};

TraceInfo generate_spans(const MachineShape& shape, NameTable& names, SpanSink& sink);

}  // namespace kutrace::test
