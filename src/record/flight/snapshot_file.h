// SPDX-License-Identifier: BSD-3-Clause
// The last moments of a flight recorder as a raw trace. In: blocks in memory, names, when it begins
// and ends; out: the file, under its name once it is whole.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "format/name_entries.h"
#include "format/tick_rate.h"
#include "record/blocks/clock.h"
#include "record/blocks/finished_block.h"
#include "record/flight/flight_recorder.h"

namespace kutrace::record {

struct SnapshotParts {
  std::string path;
  std::vector<FinishedBlock> blocks;              // by time
  std::deque<std::vector<std::uint64_t>> copies;  // of those that were cut
  NameEntries names;
  ClockReading start;
  ClockReading stop;
  TickRate rate;
  bool is_part = false;  // there was something before
};

Result<Snapshot> write_snapshot(const SnapshotParts& parts);

// Threads that the entries of a block name.
void add_spoken_of(const FinishedBlock& block, std::unordered_set<std::uint32_t>& threads);

}  // namespace kutrace::record
