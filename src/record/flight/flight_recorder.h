// SPDX-License-Identifier: BSD-3-Clause
// A recording that does not end: the last blocks of every CPU stay in memory, and snapshots of them
// become files while it goes on. In: options, and in each round what has read the blocks; out: what
// each round found, for who follows it live, and snapshots.
//
// All memory is the source's buffer. A quarter of it is what CPUs write to; the rest holds blocks
// that are finished, of which the oldest go first. That is no loss: a snapshot begins later.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/group_times.h"
#include "format/name_entries.h"
#include "format/tick_rate.h"
#include "record/blocks/clock.h"
#include "record/blocks/finished_block.h"
#include "record/run/recorder.h"

namespace kutrace::record {

struct FlightOptions {
  RecordOptions record;  // its mode is the flight recorder's business, and so is its file
  Ns keep = 0;           // blocks that end longer ago than this go, too; 0: none
};

// What there is of a recording at a moment. Blocks stay where they are until the reader said that
// it is done with them.
struct FlightRound {
  Ticks at = 0;                         // from before anything else was looked at
  std::vector<FinishedBlock> finished;  // since the last round
  std::vector<FinishedBlock> open;      // of each CPU that has one; it is being written to
};

struct SnapshotOrder {
  std::string path;
  Ns before = 0;  // of it, how much; 0: all there is
  Ticks of = 0;   // from this moment back
  // Facts that say why, when the counter at its time 0 is known.
  std::function<void(NameEntries&, Ticks zero)> add_facts;
};

struct Snapshot {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;  // of events
  double seconds = 0;
};

struct FlightStatus {
  double seconds = 0;        // since it began
  std::uint64_t events = 0;  // recorded until now
  std::uint64_t lost = 0;    // events, by the word of the blocks and of the source
  std::size_t blocks = 0;    // that are kept
  std::uint64_t dropped_blocks = 0;
};

class FlightRecorder {
 public:
  // Opens the source; nothing is recorded yet.
  static Result<FlightRecorder> open(FlightOptions options);
  FlightRecorder(FlightRecorder&& other) noexcept;
  FlightRecorder& operator=(FlightRecorder&& other) noexcept;
  // Ends the recording; a snapshot that is being written is finished first.
  ~FlightRecorder();

  Status start();
  // One round of work. `is_read`: whether who follows it is done with a block.
  Result<FlightRound> round(const std::function<bool(const FinishedBlock&)>& is_read);
  // Sleeps until the next round is due or one of the descriptors is readable.
  void pause(const std::vector<int>& descriptors) const;

  // Records these groups from now on. Nothing: it did before; else from when, after its start.
  Result<std::optional<GroupChange>> switch_groups(const EventGroups& groups);
  const EventGroups& groups() const;

  // One at a time: it ends at this moment. Nothing is waited for.
  void begin_snapshot(SnapshotOrder order);
  bool makes_snapshot() const;
  // The one that was begun, once it is whole.
  std::optional<Result<Snapshot>> take_snapshot();

  // Names and facts that hold now, as the front of a trace has them.
  NameEntries names_now() const;

  Ticks now() const;
  // The clocks when it began.
  const ClockReading& start_clocks() const;
  TickRate tick_rate() const;
  // Those that record, and those that the machine may have later.
  std::vector<CpuId> possible_cpus() const;
  const RecordOptions& options() const;
  // Whether numbers of threads are those that this process sees.
  bool knows_pids() const;
  std::optional<double> ns_per_event() const;
  // Why the source ended on its own; empty: it did not.
  std::string ended_by() const;
  FlightStatus status() const;
  // Of what is in finished blocks, or was.
  const GroupCounts& recorded() const;

 private:
  class Ring;
  explicit FlightRecorder(std::unique_ptr<Ring> ring);
  std::unique_ptr<Ring> ring_;
};

}  // namespace kutrace::record
