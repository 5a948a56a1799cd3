// SPDX-License-Identifier: BSD-3-Clause
// One CPU's blocks, read while they are written. In: blocks, finished or still being filled; out:
// the CPU's events in order of time (ns), up to a moment, each once.
//
// A source writes entries in order of time. Nothing is held back but an entry whose place was
// claimed and that is not stored yet, and what stands behind it. If that takes more than 2 s and a
// later block is there, it is passed over as a gap.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "base/units.h"
#include "decode/block_decoder.h"
#include "format/raw_file.h"
#include "format/trace_clock.h"
#include "record/blocks/finished_block.h"
#include "timeline/event.h"

namespace kutrace::live {

class CpuReader {
 public:
  CpuReader(CpuId cpu, const TraceClock& clock, Ticks begin)
      : cpu_(cpu), clock_(&clock), last_(begin) {}
  CpuReader(const CpuReader&) = delete;
  CpuReader& operator=(const CpuReader&) = delete;

  // A block, or more of one that was added before. Its words must stay where they are until
  // is_done_with() says that they are not needed.
  void add(const record::FinishedBlock& block, bool is_finished);
  // Reads on, up to `until` (ticks). Returns the time until which all events are known: `until`, or
  // an earlier one while an entry is on its way.
  Ticks read(Ticks until);

  // The next event; null if there is none yet. Valid until `pop`, which needs one.
  const timeline::Event* front() const {
    return events_.empty() ? nullptr : &events_.front().event;
  }
  void pop() { events_.pop_front(); }
  bool is_done_with(std::uint64_t sequence) const;

 private:
  struct Part {
    record::FinishedBlock raw;
    Block block;
    bool is_finished = false;
  };
  struct Read {
    timeline::Event event;
    std::uint64_t sequence;
  };

  bool begin_next();
  void push(timeline::Event event);
  bool has_hole(const Part& part) const;
  Ticks wait_or_give_up(Ticks until);

  CpuId cpu_;
  const TraceClock* clock_;
  std::map<std::uint64_t, Part> parts_;    // by sequence number; not yet read to their ends
  std::optional<std::uint64_t> expected_;  // of the part that is read, or comes next
  std::optional<decode::BlockDecoder> decoder_;
  decode::DecodeCounters counters_;
  Ticks last_;    // of what was read
  Ns shown_ = 0;  // time of the last event
  std::optional<Ticks> waits_since_;
  std::deque<Read> events_;
};

}  // namespace kutrace::live
