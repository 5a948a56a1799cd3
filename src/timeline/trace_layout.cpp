// SPDX-License-Identifier: BSD-3-Clause
// Sorting blocks into CPUs, refusing those that cannot be true, fitting the clock.
#include "timeline/trace_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "timeline/meta_text.h"

namespace kutrace::timeline {

namespace {

// A block may be started a little before the start pair is read, or after the stop pair.
constexpr Ticks kPairSlack = Ticks{1} << KUTRACE_TIME_BITS;
// A block's wall clock is computed from its counter, so it differs by rounding only. Where most
// blocks differ by more (pairs that lie, a clock measured and stepped), only nonsense is refused.
constexpr double kWallError_usec = 10e3;
constexpr double kWallDrift = 1e-3;
constexpr double kMaxWallError_usec = 3600e6;
// Longer recordings do not exist; sums of times stay below 63 bits.
constexpr double kMaxRecorded_ns = 0x1p60;
constexpr CpuId kMaxCpu = 0xffff;
constexpr double kMinNsPerTick = 0.1;
constexpr double kMaxNsPerTick = 2000;

// The leading name entries of a block; returns whether the block holds nothing else.
bool read_names(const Block& block, bool all, std::vector<decode::Entry>& names) {
  decode::DecodeCounters ignored;
  decode::BlockDecoder decoder(block, ignored);
  decode::Entry entry;
  bool only_names = true;
  while (decoder.next(entry)) {
    if (event_class(entry.number) == EventClass::kName) {
      if (only_names || all) names.push_back(entry);
    } else {
      only_names = false;
      if (!all) return false;
      // The one moment of a wrapped trace's block 0 that speaks of the time kept.
      if (entry.number == ev::kLINK_SPEED) names.push_back(entry);
    }
  }
  return only_names;
}

// `cpu`: what the block's first entry says, which the header must agree with.
std::optional<std::uint64_t> block_sequence(const Block& block, CpuId& cpu) {
  decode::DecodeCounters ignored;
  decode::BlockDecoder decoder(block, ignored);
  decode::Entry entry;
  if (!decoder.next(entry) || name_kind(entry.number) != kind::kBLOCK ||
      event_class(entry.number) != EventClass::kName || entry.words != KUTRACE_BLOCK_WORDS_USED ||
      entry.arg > kMaxCpu) {
    return std::nullopt;
  }
  cpu = entry.arg;
  return entry.payload_word(0);
}

// Whether the block says of itself that it is no CPU's and holds names only.
bool is_name_block(const Block& block) {
  decode::DecodeCounters ignored;
  decode::BlockDecoder decoder(block, ignored);
  decode::Entry entry;
  return decoder.next(entry) && event_class(entry.number) == EventClass::kName &&
         name_kind(entry.number) == kind::kBLOCK && entry.arg == KUTRACE_BLOCK_NAMES;
}

std::optional<double> fact_ns_per_tick(const TraceLayout& layout) {
  const auto rate = layout.facts.get(fact::kTickNs);
  if (!rate) return std::nullopt;
  const double value = rate->ns(1);
  // (Asked this way, what is no number is refused, too.)
  if (!(value >= kMinNsPerTick && value <= kMaxNsPerTick)) return std::nullopt;
  return value;
}

std::optional<double> pair_ns_per_tick(const TimePair& from, const TimePair& to) {
  if (to.counter <= from.counter || to.usec <= from.usec) return std::nullopt;
  const double value = 1000.0 * static_cast<double>(to.usec - from.usec) /
                       static_cast<double>(to.counter - from.counter);
  if (!(value >= kMinNsPerTick && value <= kMaxNsPerTick)) return std::nullopt;
  return value;
}

// The counter in a header is often read after that of the block's first entries.
Ticks earliest(const Block& block) {
  constexpr int kLateEntries = 64;
  decode::DecodeCounters ignored;
  decode::BlockDecoder decoder(block, ignored);
  decode::Entry entry;
  Ticks least = block.base;
  for (int i = 0; i < kLateEntries && decoder.next(entry); ++i) least = std::min(least, entry.time);
  return least;
}

bool same_words(const Block& a, const Block& b) {
  return a.word_count == b.word_count &&
         std::memcmp(a.words, b.words, 8 * std::size_t{a.word_count}) == 0;
}

// Which of the blocks, sorted by time, also ascend by sequence number: the most that do so at once.
// The others have a damaged time or number.
// The longest ascending run in n log n steps. One wrong header, however far off, so costs its own
// block and not all behind it.
std::vector<bool> ascending(const std::vector<PlacedBlock>& blocks) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t>
      tails;  // by length: the block with the least number that ends such a run
  std::vector<std::size_t> before(blocks.size(), kNone);
  const auto less = [&](std::size_t a, std::uint64_t number) {
    return blocks[a].sequence < number;
  };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto place = std::lower_bound(tails.begin(), tails.end(), *blocks[i].sequence, less);
    if (place != tails.begin()) before[i] = *std::prev(place);
    if (place == tails.end()) {
      tails.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<bool> kept(blocks.size());
  for (std::size_t i = tails.empty() ? kNone : tails.back(); i != kNone; i = before[i]) {
    kept[i] = true;
  }
  return kept;
}

// Of a trace, so many blocks are not all damaged.
constexpr std::uint64_t kManyBlocks = 8;

// Builds a TraceLayout in the order of its member functions.
class LayoutMaker {
 public:
  explicit LayoutMaker(const RawFile& file)
      : file_(file), start_(file.start()), stop_(file.stop()) {}

  Result<TraceLayout> make() {
    layout_.counters = file_.counters();
    layout_.version = file_.version();
    layout_.flags = file_.flags();
    layout_.wrapped = file_.wrapped();
    read_preamble();
    // Each step needs what the one before found: facts say whose rules hold, the clock says which
    // blocks' times can be true, the blocks say where the recording ends.
    KUTRACE_TRY(fit_clock());
    place_blocks();
    KUTRACE_TRY(doubt_file());
    judge_completeness();
    set_bounds();
    return std::move(layout_);
  }

 private:
  void read_preamble() {
    const auto& blocks = file_.blocks();
    for (; first_event_block_ < blocks.size(); ++first_event_block_) {
      const Block& block = blocks[first_event_block_];
      const bool first = first_event_block_ == 0;
      if (!first && repeats_preamble(block)) {
        layout_.counters.add(Counter::kDuplicateBlock);
        continue;
      }
      const bool overwritten = !first && block.base == 0 && block.usec == 0;
      const std::size_t before = layout_.preamble.size();
      if (overwritten || !read_names(block, first && file_.wrapped(), layout_.preamble)) {
        if (!first) layout_.preamble.resize(before);
        break;
      }
    }
    read_later_names();
    MetaText meta;
    for (const decode::Entry& entry : layout_.preamble) {
      // Chunks of one fact may stand in several blocks, so facts are made when all blocks were
      // read.
      if (name_kind(entry.number) == kind::kMETA) meta.push(entry);
    }
    layout_.facts = meta.facts();
    ours_ = layout_.facts.has(fact::kSource);
    stop_known_ = !ours_ || layout_.facts.has(fact::kBlocks);
  }

  // What only the end of a recording knows stands behind the events, and holds from the start.
  void read_later_names() {
    std::vector<const Block*> later;
    for (std::size_t i = first_event_block_; i < file_.blocks().size(); ++i) {
      const Block& block = file_.blocks()[i];
      if (!is_name_block(block)) {
        event_blocks_.push_back(&block);
      } else if (std::any_of(later.begin(), later.end(),
                             [&block](const Block* other) { return same_words(block, *other); })) {
        layout_.counters.add(Counter::kDuplicateBlock);
      } else {
        later.push_back(&block);
        read_names(block, true, layout_.preamble);
      }
    }
  }

  bool repeats_preamble(const Block& block) const {
    const auto begin = file_.blocks().begin();
    return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(first_event_block_),
                       [&](const Block& other) { return same_words(block, other); });
  }

  // Neither the clock pairs nor most blocks can be believed, or of many blocks none: what is left
  // is true by chance.
  Status doubt_file() const {
    std::uint64_t placed = 0;
    for (const CpuBlocks& cpu : layout_.cpus) placed += cpu.blocks.size();
    const bool no_clock = layout_.counters.of(Counter::kClockPairDistrusted) != 0;
    if (no_clock ? refused_ <= placed : placed > 0 || refused_ < kManyBlocks) return {};
    return fail(input_error(fmt::format("{} of {} blocks contradict each other and block 0",
                                        refused_, refused_ + placed))
                    .with_file(file_.name())
                    .with_byte(0)
                    .with_block(0)
                    .with_hint("is this a raw trace?"));
  }

  // A block that cannot be placed may have been any CPU's last one.
  void judge_completeness() {
    const std::uint64_t distinct =
        file_.blocks().size() - layout_.counters.of(Counter::kDuplicateBlock);
    const auto count = layout_.facts.get(fact::kBlocks);
    layout_.complete = !file_.cut() && refused_ == 0 && (!ours_ || count == distinct);
    if (!layout_.complete) layout_.counters.add(Counter::kRecordingNotComplete);
  }

  void refuse(Counter why) {
    ++refused_;
    layout_.counters.add(why);
  }

  bool inside_pairs(const Block& block) const {
    return block.base + kPairSlack >= start_.counter &&
           (!stop_known_ || block.base <= stop_.counter + kPairSlack);
  }

  Status fit_clock() {
    const auto& blocks = event_blocks_;
    const auto inside = std::count_if(blocks.begin(), blocks.end(),
                                      [this](const Block* block) { return inside_pairs(*block); });
    // Most blocks are not wrong at once, so then it is the pairs.
    const bool pairs_lie = 2 * static_cast<std::size_t>(inside) < blocks.size();
    const bool reversed =
        stop_known_ && (stop_.counter < start_.counter || stop_.usec < start_.usec);
    if (pairs_lie || reversed || start_.counter == 0) distrust_pairs(blocks);
    // The exact rate, if the recorder knew it; else one whose error is that of two readings, far
    // apart; else that of neighbours, which damage may have moved.
    std::optional<double> ns_per_tick = fact_ns_per_tick(layout_);
    if (!ns_per_tick) ns_per_tick = pair_ns_per_tick(start_, stop_);
    if (!ns_per_tick) ns_per_tick = slope_of(blocks);
    if (!ns_per_tick) {
      return fail(input_error("the rate of the time counter cannot be determined")
                      .with_file(file_.name())
                      .with_byte(16)
                      .with_block(0)
                      .with_hint("its start and stop times contradict each other and no two "
                                 "blocks agree; is this a raw trace?"));
    }
    layout_.clock = TraceClock(start_.counter, *ns_per_tick);
    layout_.wall_usec = start_.usec;
    set_time_zero();
    return {};
  }

  // A piece of a recording has the times that the recording had.
  void set_time_zero() {
    const auto zero = layout_.facts.get(fact::kTimeZero);
    if (!zero || *zero > start_.counter || -span_ns(*zero) >= kMaxRecorded_ns) return;
    layout_.clock = TraceClock(*zero, layout_.clock.ns_per_tick());
    const auto passed = static_cast<std::uint64_t>(layout_.clock.to_ns(start_.counter) / 1000);
    layout_.wall_usec = start_.usec - std::min(passed, start_.usec);
  }

  void distrust_pairs(const std::vector<const Block*>& blocks) {
    if (blocks.empty()) return;
    layout_.counters.add(Counter::kClockPairDistrusted);
    const auto by_base = [](const Block* a, const Block* b) { return a->base < b->base; };
    const auto [low, high] = std::minmax_element(blocks.begin(), blocks.end(), by_base);
    start_ = {(*low)->base, (*low)->usec};
    stop_ = {(*high)->base, (*high)->usec};
  }

  static std::optional<double> slope_of(const std::vector<const Block*>& blocks) {
    std::vector<double> slopes;
    for (std::size_t i = 1; i < blocks.size(); ++i) {
      TimePair a{blocks[i - 1]->base, blocks[i - 1]->usec};
      TimePair b{blocks[i]->base, blocks[i]->usec};
      if (b.counter < a.counter) std::swap(a, b);
      if (const auto slope = pair_ns_per_tick(a, b)) slopes.push_back(*slope);
    }
    if (slopes.empty()) return std::nullopt;
    // The median: a damaged block makes two slopes of any size.
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
    std::nth_element(slopes.begin(), middle, slopes.end());
    return *middle;
  }

  // Nanoseconds from the start to a counter, not limited to what a TraceClock can say.
  double span_ns(Ticks counter) const {
    return (static_cast<double>(counter) - static_cast<double>(start_.counter)) *
           layout_.clock.ns_per_tick();
  }

  double wall_error(const Block& block) const {
    const double expected = static_cast<double>(start_.usec) + span_ns(block.base) / 1000;
    return std::abs(expected - static_cast<double>(block.usec));
  }

  bool wall_agrees(const Block& block) const {
    return wall_error(block) < kWallError_usec + kWallDrift * span_ns(block.base) / 1000;
  }

  bool believable(const Block& block, bool wall_exact) const {
    if (!inside_pairs(block) || span_ns(block.base) >= kMaxRecorded_ns) return false;
    // A block that tells no wall clock contradicts none.
    if (block.usec == 0) return true;
    return wall_exact ? wall_agrees(block) : wall_error(block) < kMaxWallError_usec;
  }

  void place_blocks() {
    const auto agree = std::count_if(event_blocks_.begin(), event_blocks_.end(),
                                     [this](const Block* block) { return wall_agrees(*block); });
    const bool wall_exact = 2 * static_cast<std::size_t>(agree) > event_blocks_.size();
    std::map<CpuId, std::vector<PlacedBlock>> by_cpu;
    for (const Block* block : event_blocks_) {
      // Its events are the recording's first, which were not kept.
      if (block->number == 0 && file_.wrapped()) continue;
      CpuId said = block->cpu;
      const auto sequence = block_sequence(*block, said);
      // What costs nothing comes first, so that a copy is not refused as damage: a refused block
      // makes the whole trace incomplete.
      if (ours_ && !sequence && repeats_preamble(*block)) {
        layout_.counters.add(Counter::kDuplicateBlock);
      } else if (!believable(*block, wall_exact)) {
        refuse(Counter::kBlockTimeOutside);
      } else if (said != block->cpu) {
        refuse(Counter::kBlockCpuContradicted);
      } else if (ours_ && !sequence) {
        refuse(Counter::kBlockWithoutSequence);
      } else {
        by_cpu[block->cpu].push_back({*block, sequence});
      }
    }
    for (auto& [cpu, blocks] : by_cpu) {
      sort_by_time(blocks);
      drop_duplicates(blocks);
      if (ours_) drop_contradictions(blocks);
      layout_.cpus.push_back({cpu, std::move(blocks)});
    }
  }

  static void sort_by_time(std::vector<PlacedBlock>& blocks) {
    std::sort(blocks.begin(), blocks.end(), [](const PlacedBlock& a, const PlacedBlock& b) {
      // Blocks of one counter follow each other by number, without numbers as the file has them.
      return std::tuple(a.block.base, a.sequence, a.block.number) <
             std::tuple(b.block.base, b.sequence, b.block.number);
    });
  }

  // In files of this project, each block has a number (place_blocks).
  void drop_contradictions(std::vector<PlacedBlock>& blocks) {
    const std::vector<bool> kept = ascending(blocks);
    std::vector<PlacedBlock> left;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (kept[i]) {
        left.push_back(blocks[i]);
      } else {
        refuse(Counter::kBlockOrderContradicted);
      }
    }
    blocks = std::move(left);
  }

  void drop_duplicates(std::vector<PlacedBlock>& blocks) {
    const auto same = [](const PlacedBlock& a, const PlacedBlock& b) {
      return same_words(a.block, b.block);
    };
    // Copies have equal keys, so sorting has put them side by side.
    const auto end = std::unique(blocks.begin(), blocks.end(), same);
    if (end != blocks.end()) {
      layout_.counters.add(Counter::kDuplicateBlock,
                           static_cast<std::uint64_t>(blocks.end() - end));
    }
    blocks.erase(end, blocks.end());
  }

  void set_bounds() {
    layout_.begin = layout_.clock.to_ns(start_.counter);
    const bool end_known = stop_known_ && span_ns(stop_.counter) < kMaxRecorded_ns;
    layout_.end = layout_.begin;
    if (end_known) layout_.end = std::max(layout_.begin, layout_.clock.to_ns(stop_.counter));
    if (!layout_.wrapped || layout_.cpus.empty()) return;
    // The oldest that any CPU has kept: what others lack of that time is declared as overwritten.
    Ns first = layout_.clock.to_ns(earliest(layout_.cpus.front().blocks.front().block));
    for (const CpuBlocks& cpu : layout_.cpus) {
      first = std::min(first, layout_.clock.to_ns(earliest(cpu.blocks.front().block)));
    }
    layout_.begin = std::max(layout_.begin, first);
  }

  const RawFile& file_;
  TimePair start_;
  TimePair stop_;
  std::size_t first_event_block_ = 0;
  std::vector<const Block*> event_blocks_;  // those that hold more than names
  bool ours_ = false;       // recorded by this project: its blocks carry sequence numbers
  bool stop_known_ = true;  // false: the recorder was killed, block 0 holds a provisional stop
  std::uint64_t refused_ = 0;
  TraceLayout layout_;
};

}  // namespace

Result<TraceLayout> lay_out(const RawFile& file) { return LayoutMaker(file).make(); }

}  // namespace kutrace::timeline
