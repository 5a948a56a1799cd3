// SPDX-License-Identifier: BSD-3-Clause
// Blocks in an order in which they can be decoded. In: a raw file; out: which blocks are
// believable, each CPU's in their sequence, the preamble of names and facts, and the clock that
// fits them. What is refused is counted.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "decode/block_decoder.h"
#include "format/counters.h"
#include "format/facts.h"
#include "format/raw_file.h"
#include "format/trace_clock.h"

namespace kutrace::timeline {

struct PlacedBlock {
  Block block;
  std::optional<std::uint64_t> sequence;  // from its BLOCK entry
};

struct CpuBlocks {
  CpuId cpu = 0;
  std::vector<PlacedBlock> blocks;  // by time
};

struct TraceLayout {
  TraceClock clock;
  Ns begin = 0;                 // recorded time of every CPU
  Ns end = 0;                   // at least; later entries move it
  std::uint64_t wall_usec = 0;  // wall clock of time 0
  unsigned version = 3;
  unsigned flags = 0;  // of block 0
  bool wrapped = false;
  // False if blocks are missing at the end: a recorder was killed or the file was cut.
  bool complete = true;
  std::vector<CpuBlocks> cpus;  // by CPU number
  // Names, facts, losses and the link's speed that hold from the start; their blocks may not be in
  // `cpus`.
  std::vector<decode::Entry> preamble;
  Facts facts;
  Counters counters;
};

// Fails if the rate of the counter cannot be determined, or if neither the file's clock readings
// nor most of its blocks can be believed. The layout points into `file`, which must outlive it.
Result<TraceLayout> lay_out(const RawFile& file);

}  // namespace kutrace::timeline
