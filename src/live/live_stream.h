// SPDX-License-Identifier: BSD-3-Clause
// A recording as spans while it goes on. In: blocks of all CPUs, round by round; out: spans, calls
// and lives to a sink, as a reader of the finished trace would hand them on, a round or two later.
// Memory does not grow with time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "format/facts.h"
#include "format/group_times.h"
#include "format/name_entries.h"
#include "format/trace_clock.h"
#include "live/cpu_reader.h"
#include "live/lane.h"
#include "record/blocks/finished_block.h"
#include "record/flight/flight_recorder.h"

namespace kutrace::live {

struct LiveOptions {
  Ticks start = 0;  // counter at time 0
  double ns_per_tick = 1;
  std::uint64_t wall_usec = 0;  // at time 0
  std::vector<CpuId> cpus;      // that record, or may come
  // Names and facts as they are now; asked when a lane begins.
  std::function<NameEntries()> names;
  MakeSink make_sink;
  // Gets each event, and those with which the first lane begins; may be empty.
  std::function<void(const timeline::Event&)> on_event = {};
  // A lane that keeps more than this (Lane::weight) is followed by another one, ...
  std::uint64_t most_weight = 200'000;
  // ... and goes on for so long, for what began before.
  Ns overlap = 60'000'000'000;
};

// For a flight recorder that has started and outlives the stream. What is made of the spans, the
// caller says (make_sink).
LiveOptions options_for(const record::FlightRecorder& recorder);

class LiveStream {
 public:
  explicit LiveStream(LiveOptions options);

  // The blocks of a round; one block. Blocks of CPUs that are not among the options' are ignored.
  void add(const record::FlightRound& round);

  void add(const record::FinishedBlock& block, bool is_finished);
  // Hands on all that happened up to `until`, or up to where an entry is still on its way. `until`
  // must lie a little back: what CPUs recorded by then must be among the blocks.
  void advance(Ticks until);
  // Whether nothing refers to the block's words any more.
  bool is_done_with(const record::FinishedBlock& block) const;
  // Groups of events were switched; nothing later than the change was handed on yet.
  void groups_change(const GroupChange& change);
  // Ends the stream: all that is open ends here, which sinks can tell by Tenure::is_over.
  void close();

  // Time up to which all was handed on.
  Ns time() const { return time_; }
  Ns to_ns(Ticks counter) const { return clock_.to_ns(counter); }

 private:
  void begin_lane();
  void push(const timeline::Event& event);
  void renew();

  LiveOptions options_;
  TraceClock clock_;
  GroupTimes groups_;
  std::map<CpuId, CpuReader> readers_;
  std::map<CpuId, Pid> running_;
  std::unordered_map<Pid, Ns> ran_;  // were switched to since the younger of two lanes began
  std::vector<std::unique_ptr<Lane>> lanes_;  // oldest first, at most two
  Ns time_ = 0;
};

}  // namespace kutrace::live
