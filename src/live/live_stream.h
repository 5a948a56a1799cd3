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
  // Names and facts as they are now: read when a lane begins.
  std::function<NameEntries()> names;
  MakeSink make_sink;
  // Where given: gets each event, and those with which the first lane begins.
  std::function<void(const timeline::Event&)> on_event = {};
  // A lane that keeps so much is followed by another ...
  std::uint64_t most_weight = 200'000;
  // ... and told of what began before for so long.
  Ns overlap = 60'000'000'000;
};

// Of a flight recorder that has started, which outlives the stream; what is made of its spans is
// left open.
LiveOptions options_for(const record::FlightRecorder& recorder);

class LiveStream {
 public:
  explicit LiveStream(LiveOptions options);

  void add(const record::FlightRound& round);

  void add(const record::FinishedBlock& block, bool is_finished);
  // Hands on all that happened until this moment; when something is on its way, all before it.
  // Of times that CPUs record, entries of this moment must be there: it lies a little back.
  void advance(Ticks until);
  // Whether nothing refers to its words any more.
  bool is_done_with(const record::FinishedBlock& block) const;
  // What is handed on from there on has other groups of events.
  void groups_change(const GroupChange& change);
  // The stream ends.
  void close();

  // Until when all was handed on.
  Ns time() const { return time_; }
  Ns to_ns(Ticks counter) const { return clock_.to_ns(counter); }
  std::uint64_t lanes_begun() const { return lanes_begun_; }

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
  std::uint64_t lanes_begun_ = 0;
};

}  // namespace kutrace::live
