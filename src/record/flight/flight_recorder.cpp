// SPDX-License-Identifier: BSD-3-Clause
// The ring of blocks, and what a snapshot takes from it.
#include "record/flight/flight_recorder.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <map>
#include <unordered_set>

#include "format/event_table.h"
#include "format/name_blocks.h"
#include "record/blocks/block_walk.h"
#include "record/flight/snapshot_file.h"
#include "record/proc/cgroups.h"
#include "record/proc/other_recorders.h"
#include "record/run/group_log.h"
#include "record/run/host_names.h"
#include "record/run/losses.h"
#include "record/run/opened_source.h"
#include "record/run/urgency.h"

namespace kutrace::record {

namespace {

constexpr std::uint32_t kFlightMb = 128;
constexpr int kRound_ms = 10;
constexpr int kHurriedRound_ms = 1;
// What a stopped program would leave behind is told as lost after so many rounds.
constexpr int kMostRoundsWaited = 200;

template <typename T>
bool is_ready(const std::future<T>& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

// Whether something of each block, in order, lies between two moments.
std::vector<bool> are_within(const std::vector<FinishedBlock>& blocks, Ticks begin, Ticks stop) {
  std::map<CpuId, Ticks> ends;  // where a CPU's block ends: where the next one begins
  std::vector<bool> is_in(blocks.size());
  for (std::size_t i = blocks.size(); i-- > 0;) {
    const auto [end, is_last] = ends.try_emplace(blocks[i].cpu, stop);
    is_in[i] = blocks[i].base() <= stop && (is_last || end->second >= begin);
    end->second = blocks[i].base();
  }
  return is_in;
}

}  // namespace

class FlightRecorder::Ring {
 public:
  explicit Ring(FlightOptions options)
      : options_(std::move(options)), groups_(options_.record.groups) {
    options_.record.mode = RecordMode::kStream;
  }

  Status open();
  Status start();
  Result<FlightRound> round(const std::function<bool(const FinishedBlock&)>& is_read);
  void pause(const std::vector<int>& descriptors) const;
  void begin_snapshot(SnapshotOrder order);
  bool makes_snapshot() const { return order_.has_value(); }
  std::optional<Result<Snapshot>> take_snapshot();
  NameEntries names_now() const;
  Result<std::optional<GroupChange>> switch_groups(const EventGroups& groups);
  const EventGroups& groups() const { return groups_.now(); }
  FlightStatus status() const;
  std::optional<FinishedBlock> open_block(CpuId cpu) const;
  const GroupCounts& recorded() const { return tally_.by_group; }

  Source& source() const { return *opened_.source; }
  const OpenedSource& opened() const { return opened_; }
  const FlightOptions& options() const { return options_; }
  const ClockReading& start_clocks() const { return start_; }

 private:
  // A block in the ring, until it goes.
  struct Kept {
    FinishedBlock block;
    Ticks end = 0;  // nothing in it is later
    std::uint64_t transitions = 0;
  };
  // Of a snapshot, the blocks and what is said of them.
  using Window = SnapshotParts;

  void keep(const std::vector<FinishedBlock>& finished, Ticks at);
  void drop_oldest(const FlightRound& round,
                   const std::function<bool(const FinishedBlock&)>& is_read);
  void drop_blocks(Ticks at, const std::function<bool(const FinishedBlock&)>& is_read);
  Ticks oldest_moment(const FlightRound& round) const;
  Ticks ticks(Ns time) const { return source().tick_rate().ticks(time); }
  ClockReading at(Ticks counter) const {
    return reading_at(source().read_clocks(), counter, source().tick_rate());
  }
  bool is_whole(const FlightRound& round) const;
  void go_on_with_snapshot(const FlightRound& round);
  std::vector<FinishedBlock> all_blocks(const FlightRound& round) const;
  Window window(const FlightRound& round);
  void add_names(NameEntries& names, const NameHarvest& harvest,
                 const std::unordered_set<std::uint32_t>& spoken_of) const;

  FlightOptions options_;
  GroupLog groups_;
  const RecorderSign sign_;
  OpenedSource opened_;
  ClockReading start_;
  std::deque<Kept> kept_;  // oldest first
  std::size_t most_kept_ = 0;
  NameHarvest harvest_;  // of blocks that are gone
  std::uint64_t dropped_blocks_ = 0;
  std::uint64_t dropped_events_ = 0;
  Tally tally_;
  bool hurry_ = false;
  bool started_ = false;

  // A snapshot under way: waits for writers, then for their blocks, then for the file.
  std::optional<SnapshotOrder> order_;
  Ticks stop_ = 0;
  std::future<void> quiet_;
  bool is_quiet_ = false;
  int rounds_waited_ = 0;
  Window window_;  // stays where it is while the file is written
  std::future<Result<Snapshot>> written_;
};

Status FlightRecorder::Ring::open() {
  Stopwatch course;
  options_.record.group_moves = false;
  const std::uint32_t mb = options_.record.buffer_mb != 0 ? options_.record.buffer_mb : kFlightMb;
  KUTRACE_ASSIGN(opened_, open_for(options_.record, mb, course));
  const std::size_t blocks = std::size_t{mb} * kBlocksPerMb;
  most_kept_ = blocks - std::max<std::size_t>(blocks / 4, 1);
  return {};
}

Status FlightRecorder::Ring::start() {
  for (const SeedTask& task : read_all_tasks()) {
    const std::uint32_t flags = (task.kernel_thread ? KUTRACE_TASK_KERNEL_THREAD : 0) |
                                (task.process == getpid() ? KUTRACE_TASK_RECORDER : 0);
    harvest_.add(task, flags);
  }
  be_urgent();
  const ClockReading clocks = source().read_clocks();
  KUTRACE_TRY(source().start());
  started_ = true;
  Ticks earliest = source().now();
  for (const CpuId cpu : source().cpus())
    if (const auto block = source().open_block(cpu)) earliest = std::min(earliest, block->base());
  start_ = reading_at(clocks, earliest, source().tick_rate());
  return {};
}

// ---- the ring ----------------------------------------------------------------------------------

void FlightRecorder::Ring::keep(const std::vector<FinishedBlock>& finished, Ticks at) {
  for (const FinishedBlock& block : finished) {
    const std::uint64_t before = tally_.transitions;
    tally_.add(block);
    kept_.push_back({block, at, tally_.transitions - before});
  }
}

// What is being written to a file stays, and what somebody still reads.
void FlightRecorder::Ring::drop_oldest(const FlightRound& round,
                                       const std::function<bool(const FinishedBlock&)>& is_read) {
  if (order_) return;
  const std::uint64_t before = dropped_blocks_;
  drop_blocks(round.at, is_read);
  if (dropped_blocks_ != before && groups_.any()) groups_.forget_before(oldest_moment(round));
}

// Of what is kept and what CPUs still write to: one that is idle may have begun its block long ago.
Ticks FlightRecorder::Ring::oldest_moment(const FlightRound& round) const {
  Ticks oldest = round.at;
  for (const Kept& kept : kept_) oldest = std::min(oldest, kept.block.base());
  for (const FinishedBlock& block : round.open) oldest = std::min(oldest, block.base());
  return oldest;
}

void FlightRecorder::Ring::drop_blocks(Ticks at,
                                       const std::function<bool(const FinishedBlock&)>& is_read) {
  const Ticks too_old = at - std::min(at, ticks(options_.keep));
  while (!kept_.empty()) {
    const Kept& oldest = kept_.front();
    const bool is_old = options_.keep != 0 && oldest.end < too_old;
    if ((kept_.size() <= most_kept_ && !is_old) || !is_read(oldest.block)) return;
    harvest_.add(oldest.block);
    dropped_events_ += oldest.transitions;
    ++dropped_blocks_;
    source().release(oldest.block);
    kept_.pop_front();
  }
}

// Open blocks are asked for first: whichever is finished meanwhile is in both lists, and none is
// in neither.
Result<FlightRound> FlightRecorder::Ring::round(
    const std::function<bool(const FinishedBlock&)>& is_read) {
  FlightRound round;
  round.at = source().now();
  for (const CpuId cpu : source().cpus())
    if (const auto block = source().open_block(cpu)) round.open.push_back(*block);
  KUTRACE_TRY(source().collect(round.finished));
  std::ranges::sort(round.finished, {}, [](const FinishedBlock& block) {
    return std::pair(block.base(), block.sequence());
  });
  keep(round.finished, source().now());
  go_on_with_snapshot(round);
  drop_oldest(round, is_read);
  hurry_ = !source().supply();
  return round;
}

void FlightRecorder::Ring::pause(const std::vector<int>& descriptors) const {
  std::vector<pollfd> watch;
  watch.push_back({source().wake_fd(), POLLIN, 0});
  for (const int fd : descriptors) watch.push_back({fd, POLLIN, 0});
  poll(watch.data(), watch.size(), hurry_ ? kHurriedRound_ms : kRound_ms);
}

// What is written of the block that a CPU writes to.
std::optional<FinishedBlock> FlightRecorder::Ring::open_block(CpuId cpu) const {
  std::optional<FinishedBlock> open = source().open_block(cpu);
  if (open) open->end = end_of_written(*open, KUTRACE_HEADER_WORDS);
  return open && open->end > KUTRACE_HEADER_WORDS ? open : std::nullopt;
}

FlightStatus FlightRecorder::Ring::status() const {
  FlightStatus status;
  status.seconds = source().tick_rate().ns(source().now() - start_.counter) / 1e9;
  Tally all = tally_;
  for (const CpuId cpu : source().cpus())
    if (const auto open = open_block(cpu)) all.add(*open);
  for (const OpenLoss& loss : source().open_losses()) all.add_loss(loss.entries);
  status.events = all.transitions;
  status.lost = all.losses;
  status.blocks = kept_.size();
  status.dropped_blocks = dropped_blocks_;
  return status;
}

Result<std::optional<GroupChange>> FlightRecorder::Ring::switch_groups(const EventGroups& groups) {
  if (groups == groups_.now()) return std::nullopt;
  KUTRACE_TRY(groups_.switch_to(groups, source()));
  return groups_.last(start_.counter, source().tick_rate());
}

// ---- snapshots ---------------------------------------------------------------------------------

void FlightRecorder::Ring::begin_snapshot(SnapshotOrder order) {
  order_ = std::move(order);
  stop_ = source().now();
  is_quiet_ = false;
  rounds_waited_ = 0;
  quiet_ = std::async(std::launch::async, [this] { source().wait_for_writers(); });
}

// Of each CPU, every block until the one that it writes to is here.
bool FlightRecorder::Ring::is_whole(const FlightRound& round) const {
  std::map<CpuId, std::uint64_t> last;
  for (const Kept& kept : kept_) {
    const auto [known, is_first] = last.try_emplace(kept.block.cpu, kept.block.sequence());
    if (!is_first && kept.block.sequence() > known->second + 1 && kept.block.base() <= stop_)
      return false;
    known->second = std::max(known->second, kept.block.sequence());
  }
  return std::ranges::all_of(round.open, [&](const FinishedBlock& open) {
    const auto known = last.find(open.cpu);
    return known == last.end() || open.sequence() <= known->second + 1;
  });
}

void FlightRecorder::Ring::go_on_with_snapshot(const FlightRound& round) {
  if (!order_ || written_.valid()) return;
  if (!is_quiet_) {
    is_quiet_ = is_ready(quiet_);
    return;  // what was written meanwhile comes with the next round
  }
  if (!is_whole(round) && ++rounds_waited_ < kMostRoundsWaited) return;
  window_ = window(round);
  written_ = std::async(std::launch::async, [this] { return write_snapshot(window_); });
}

std::optional<Result<Snapshot>> FlightRecorder::Ring::take_snapshot() {
  if (!written_.valid() || !is_ready(written_)) return std::nullopt;
  Result<Snapshot> done = written_.get();
  window_ = {};
  order_.reset();
  return done;
}

void FlightRecorder::Ring::add_names(NameEntries& names, const NameHarvest& harvest,
                                     const std::unordered_set<std::uint32_t>& spoken_of) const {
  add_machine_names(names);
  if (opened_.knows_pids) {
    harvest.append_to(names, [&](std::uint32_t pid) { return spoken_of.contains(pid); });
  } else {
    harvest.append_to(names);
  }
}

NameEntries FlightRecorder::Ring::names_now() const {
  NameEntries names;
  add_recording_facts(names, opened_, options_.record, start_, std::nullopt);
  NameHarvest harvest = harvest_;
  for (const Kept& kept : kept_) harvest.add(kept.block);
  add_names(names, harvest, {});
  return names;
}

// Those that are kept and those that are being written, in order.
std::vector<FinishedBlock> FlightRecorder::Ring::all_blocks(const FlightRound& round) const {
  std::vector<FinishedBlock> blocks;
  for (const Kept& kept : kept_) blocks.push_back(kept.block);
  for (FinishedBlock open : round.open) {
    const auto is_this = [&](const FinishedBlock& block) {
      return block.cpu == open.cpu && block.sequence() == open.sequence();
    };
    if (std::ranges::any_of(blocks, is_this)) continue;
    open.end = end_of_written(open, KUTRACE_HEADER_WORDS);
    if (open.end > KUTRACE_HEADER_WORDS) blocks.push_back(open);
  }
  std::ranges::sort(blocks, {}, [](const FinishedBlock& block) {
    return std::pair(block.base(), block.sequence());
  });
  return blocks;
}

// The blocks in which something lies between the begin and the stop. What they end with later than
// the stop is cut off, in a copy.
FlightRecorder::Ring::Window FlightRecorder::Ring::window(const FlightRound& round) {
  Window window;
  const Ticks before = ticks(order_->before);
  const Ticks begin = order_->before != 0 && order_->of > before ? order_->of - before : 0;
  const std::vector<FinishedBlock> blocks = all_blocks(round);
  const std::vector<bool> outlasting = may_outlast(blocks, stop_);
  const std::vector<bool> is_in = are_within(blocks, begin, stop_);
  NameHarvest harvest = harvest_;
  Losses losses;
  Ticks zero = stop_;
  bool is_part = dropped_blocks_ != 0;
  std::uint64_t left_out = dropped_events_;
  std::unordered_set<std::uint32_t> spoken_of;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    FinishedBlock block = blocks[i];
    if (!is_in[i]) {
      if (block.base() > stop_) continue;
      harvest.add(block);
      is_part = true;
      Tally gone;
      gone.add(block);
      left_out += gone.transitions;
      continue;
    }
    if (outlasting[i]) {
      std::vector<std::uint64_t>& copy = window.copies.emplace_back();
      if (const std::uint64_t holes = count_holes(block); holes != 0)
        losses.add(block.cpu, KUTRACE_LOSS_MISSED_RUN, block.base(), stop_, holes);
      block.end = cut_after(block, stop_, copy);
      block.words = copy.data();
      if (block.end <= KUTRACE_HEADER_WORDS) continue;
    }
    add_spoken_of(block, spoken_of);
    zero = std::min(zero, block.base());
    window.blocks.push_back(block);
  }
  for (const OpenLoss& loss : source().open_losses())
    if (loss.begin < stop_)
      losses.add(loss.cpu, loss.reason, std::max(loss.begin, zero), stop_, loss.entries);
  window.path = order_->path;
  window.start = at(zero);
  window.stop = at(stop_);
  window.rate = source().tick_rate();
  window.is_part = is_part;
  RecordOptions options = options_.record;
  options.mode = RecordMode::kWrap;
  options.groups = groups_.at(zero);
  add_recording_facts(window.names, opened_, options, window.start, std::nullopt);
  groups_.add_to(window.names, zero, window.rate);
  if (is_part) window.names.add(fact::kDiscardedEvents, left_out);
  if (order_->add_facts) order_->add_facts(window.names, zero);
  losses.append_to(window.names);
  add_names(window.names, harvest, spoken_of);
  ProcessCgroups cgroups;
  if (opened_.knows_pids)
    for (const CgroupRecord& cgroup : cgroups.changes([&] { return zero; }))
      window.names.add_text(kind::kPROCESS, record_text(cgroup));
  return window;
}

// ---- the class ---------------------------------------------------------------------------------

FlightRecorder::FlightRecorder(std::unique_ptr<Ring> ring) : ring_(std::move(ring)) {}
FlightRecorder::FlightRecorder(FlightRecorder&& other) noexcept = default;
FlightRecorder& FlightRecorder::operator=(FlightRecorder&& other) noexcept = default;
FlightRecorder::~FlightRecorder() = default;

Result<FlightRecorder> FlightRecorder::open(FlightOptions options) {
  auto ring = std::make_unique<Ring>(std::move(options));
  KUTRACE_TRY(ring->open());
  return FlightRecorder(std::move(ring));
}

Status FlightRecorder::start() { return ring_->start(); }

Result<FlightRound> FlightRecorder::round(
    const std::function<bool(const FinishedBlock&)>& is_read) {
  return ring_->round(is_read);
}

void FlightRecorder::pause(const std::vector<int>& descriptors) const { ring_->pause(descriptors); }

void FlightRecorder::begin_snapshot(SnapshotOrder order) {
  ring_->begin_snapshot(std::move(order));
}

Result<std::optional<GroupChange>> FlightRecorder::switch_groups(const EventGroups& groups) {
  return ring_->switch_groups(groups);
}
const EventGroups& FlightRecorder::groups() const { return ring_->groups(); }
bool FlightRecorder::makes_snapshot() const { return ring_->makes_snapshot(); }
std::optional<Result<Snapshot>> FlightRecorder::take_snapshot() { return ring_->take_snapshot(); }
NameEntries FlightRecorder::names_now() const { return ring_->names_now(); }
Ticks FlightRecorder::now() const { return ring_->source().now(); }
const ClockReading& FlightRecorder::start_clocks() const { return ring_->start_clocks(); }
TickRate FlightRecorder::tick_rate() const { return ring_->source().tick_rate(); }
const RecordOptions& FlightRecorder::options() const { return ring_->options().record; }
bool FlightRecorder::knows_pids() const { return ring_->opened().knows_pids; }
std::string FlightRecorder::ended_by() const { return ring_->source().ended_by(); }
const GroupCounts& FlightRecorder::recorded() const { return ring_->recorded(); }
FlightStatus FlightRecorder::status() const { return ring_->status(); }

std::vector<CpuId> FlightRecorder::possible_cpus() const {
  std::vector<CpuId> cpus = ring_->source().cpus();
  const auto configured = static_cast<CpuId>(std::max(1L, sysconf(_SC_NPROCESSORS_CONF)));
  for (CpuId cpu = 0; cpu < configured; ++cpu)
    if (std::ranges::find(cpus, cpu) == cpus.end()) cpus.push_back(cpu);
  return cpus;
}

std::optional<double> FlightRecorder::ns_per_event() const {
  return ring_->opened().cost.ns_per_event();
}

}  // namespace kutrace::record
