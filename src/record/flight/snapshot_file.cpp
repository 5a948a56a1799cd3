// SPDX-License-Identifier: BSD-3-Clause
// Writing a snapshot: names first, then the blocks as they are.
#include "record/flight/snapshot_file.h"

#include "format/event_table.h"
#include "format/name_blocks.h"
#include "record/blocks/block_walk.h"
#include "record/blocks/trace_file.h"

namespace kutrace::record {

namespace {

constexpr std::size_t kRoomForBlocks = 8;  // words, of the one fact that is known last

}  // namespace

Result<Snapshot> write_snapshot(const SnapshotParts& parts) {
  KUTRACE_ASSIGN(TraceFile file, TraceFile::create(parts.path));
  NameEntries names = parts.names;
  const std::size_t count = blocks_for(names.words() + kRoomForBlocks);
  names.add(fact::kBlocks, count + parts.blocks.size());
  BlockHeader header;
  header.cpu = parts.blocks.empty() ? CpuId{0} : parts.blocks.front().cpu;
  header.start = parts.start.pair();
  const unsigned flags = parts.is_part ? KUTRACE_FLAG_WRAP : 0;
  const FrontBlocks front =
      front_blocks(names, header, {parts.start.pair(), parts.stop.pair(), flags}, count, count);
  std::uint64_t number = 0;
  for (const BlockWriter& block : front.blocks)
    KUTRACE_TRY(file.write_block(number++, block.words()));
  for (const FinishedBlock& block : parts.blocks)
    KUTRACE_TRY(
        file.write_block(number++, block, reading_at(parts.start, block.base(), parts.rate).usec));
  KUTRACE_TRY(file.check_untouched());
  KUTRACE_TRY(file.keep());
  Snapshot snapshot;
  snapshot.path = parts.path;
  snapshot.bytes = number * file.block_bytes();
  snapshot.blocks = parts.blocks.size();
  snapshot.seconds = parts.rate.ns(parts.stop.counter - parts.start.counter) / 1e9;
  return snapshot;
}

void add_spoken_of(const FinishedBlock& block, std::unordered_set<std::uint32_t>& threads) {
  threads.insert(static_cast<std::uint32_t>(block.words[2]));
  for_each_entry(block, [&](std::uint32_t at) {
    const std::uint64_t word = block.words[at];
    const EventNum event = entry_event(word);
    if (event == ev::kUSERPID || event == ev::kRUNNABLE) {
      threads.insert(entry_arg(word) & KUTRACE_SWITCH_PID_MASK);
    } else if (event_class(event) == EventClass::kName &&
               (name_kind(event) == kind::kTASK || name_kind(event) == kind::kPID_NAME)) {
      threads.insert(entry_arg(word));
    }
  });
}

}  // namespace kutrace::record
