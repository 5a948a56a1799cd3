// SPDX-License-Identifier: BSD-3-Clause
// Readers of all CPUs merged into lanes.
#include "live/live_stream.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/merge_tree.h"
#include "decode/block_decoder.h"
#include "format/event_table.h"
#include "format/name_blocks.h"
#include "kutrace/abi.h"
#include "timeline/meta_text.h"

namespace kutrace::live {

namespace {

// Names as the events with which a trace begins. `blocks` holds what they point to.
std::vector<timeline::Event> preamble_of(const std::vector<BlockWriter>& blocks, Ns time) {
  std::vector<timeline::Event> events;
  for (const BlockWriter& writer : blocks) {
    Block block;
    block.words = reinterpret_cast<const std::byte*>(writer.words());
    block.header_words = KUTRACE_HEADER_WORDS;
    block.word_count = static_cast<std::uint32_t>(writer.position());
    block.base = writer.base();
    decode::DecodeCounters counters;
    decode::BlockDecoder decoder(block, counters);
    timeline::Event event;
    event.time = time;
    event.cpu = kNoCpu;
    while (decoder.next(event.entry)) events.push_back(event);
  }
  return events;
}

}  // namespace

// CPUs that may come later are known, too.
LiveOptions options_for(const record::FlightRecorder& recorder) {
  LiveOptions options;
  const record::ClockReading& start = recorder.start_clocks();
  options.start = start.counter;
  options.ns_per_tick = recorder.tick_rate().ns(1);
  options.wall_usec = start.usec;
  options.cpus = recorder.possible_cpus();
  options.names = [&recorder] { return recorder.names_now(); };
  return options;
}

void LiveStream::add(const record::FlightRound& round) {
  for (const record::FinishedBlock& block : round.finished) add(block, true);
  for (const record::FinishedBlock& block : round.open) add(block, false);
}

LiveStream::LiveStream(LiveOptions options)
    : options_(std::move(options)), clock_(options_.start, options_.ns_per_tick) {
  std::ranges::sort(options_.cpus);
  begin_lane();
}

void LiveStream::add(const record::FinishedBlock& block, bool is_finished) {
  if (!std::ranges::binary_search(options_.cpus, block.cpu)) return;
  readers_.try_emplace(block.cpu, block.cpu, clock_, options_.start)
      .first->second.add(block, is_finished);
}

bool LiveStream::is_done_with(const record::FinishedBlock& block) const {
  const auto reader = readers_.find(block.cpu);
  return reader == readers_.end() || reader->second.is_done_with(block.sequence());
}

// ---- lanes -------------------------------------------------------------------------------------

void LiveStream::begin_lane() {
  const NameEntries names = options_.names();
  BlockHeader header;
  header.start = {options_.start, options_.wall_usec};
  // More blocks than any names need.
  const std::vector<BlockWriter> blocks = later_blocks(names, 0, header, false);
  const std::vector<timeline::Event> preamble = preamble_of(blocks, time_);
  timeline::MetaText meta;
  for (const timeline::Event& event : preamble)
    if (name_kind(event.entry.number) == kind::kMETA) meta.push(event.entry);
  timeline::StreamFacts facts;
  facts.begin = facts.end = time_;
  facts.wall_usec = options_.wall_usec;
  facts.clock = clock_;
  facts.cpus = options_.cpus;
  facts.own_source = true;
  facts.facts = meta.facts();
  facts.filtered = facts.facts.has(fact::kRecordedThreads);
  facts.fault_returns = facts.facts.get(fact::kFaultReturns).value_or(true);
  const auto groups = facts.facts.get(fact::kEvents);
  facts.groups = groups_;
  facts.calls = !groups || std::ranges::find(*groups, "syscalls") != groups->end() ||
                groups_.ever_off().has_bit(EventGroup::kSyscalls);
  // What happened until now, the lane before has seen.
  const bool is_first = lanes_.empty();
  // Each moment is told by one lane: what began before `from` by the old one, what begins later by
  // the new one.
  const Ns from = is_first ? std::numeric_limits<Ns>::min() : time_ + 1;
  if (!is_first) lanes_.back()->ends_at(from);
  lanes_.push_back(std::make_unique<Lane>(std::move(facts), groups_, from, options_.make_sink));
  if (!is_first) {
    ran_.clear();
    lanes_.front()->share(&ran_, false);
    lanes_.back()->share(&ran_, true);
  }
  for (const timeline::Event& event : preamble) {
    lanes_.back()->push(event);
    // A later lane repeats names that were heard before.
    if (is_first && options_.on_event) options_.on_event(event);
  }
  lanes_.back()->has_begun();
  // What headers of blocks say to a reader of a file: who runs where the lane begins.
  for (const auto& [cpu, pid] : running_) {
    timeline::Event event;
    event.time = time_;
    event.cpu = cpu;
    event.entry.number = ev::kUSERPID;
    event.entry.arg = static_cast<std::uint32_t>(pid) & KUTRACE_SWITCH_PID_MASK;
    lanes_.back()->push(event);
  }
}

// At most two at a time: the old one goes when what it saw begin had its time to end.
void LiveStream::renew() {
  if (lanes_.size() > 1 && time_ - lanes_.front()->until() >= options_.overlap) {
    lanes_.front()->close();
    lanes_.erase(lanes_.begin());
    lanes_.front()->share(nullptr, false);
  }
  if (lanes_.size() == 1 && lanes_.back()->weight() > options_.most_weight) begin_lane();
}

void LiveStream::groups_change(const GroupChange& change) {
  groups_.add(change);
  for (const auto& lane : lanes_) lane->groups_change(change);
}

void LiveStream::close() {
  for (const auto& lane : lanes_) lane->close();
  lanes_.clear();
}

// ---- events ------------------------------------------------------------------------------------

void LiveStream::push(const timeline::Event& event) {
  if (event.entry.number == timeline::kBlockStart)
    running_[event.cpu] = static_cast<Pid>(event.entry.arg);
  else if (event.entry.number == ev::kUSERPID)
    running_[event.cpu] = static_cast<Pid>(decode::switched_to(event.entry.arg));
  if (lanes_.size() > 1 && event.entry.number == ev::kUSERPID)
    ran_.try_emplace(running_[event.cpu], event.time);
  for (const auto& lane : lanes_) lane->push(event);
  if (options_.on_event) options_.on_event(event);
}

void LiveStream::advance(Ticks until) {
  Ticks known = until;
  // No CPU's events may leave before those that another has not shown yet and that are older.
  for (auto& [cpu, reader] : readers_) known = std::min(known, reader.read(until));
  const Ns end = std::max(time_, clock_.to_ns(known));
  std::vector<CpuReader*> readers;
  std::vector<std::optional<Ns>> times;
  const auto next = [end](const CpuReader& reader) -> std::optional<Ns> {
    const timeline::Event* const event = reader.front();
    if (event == nullptr || event->time > end) return std::nullopt;
    return event->time;
  };
  for (auto& [cpu, reader] : readers_) {
    readers.push_back(&reader);
    times.push_back(next(reader));
  }
  MergeTree tree;
  tree.start(times);
  while (!tree.over()) {
    CpuReader& reader = *readers[tree.first()];
    // What a CPU told too late stands where it still can.
    timeline::Event event = *reader.front();
    event.time = std::max(event.time, time_);
    push(event);
    reader.pop();
    if (const auto time = next(reader))
      tree.goes_on(*time);
    else
      tree.ends();
  }
  time_ = end;
  renew();
}

}  // namespace kutrace::live
