// SPDX-License-Identifier: BSD-3-Clause
// Sorting blocks into CPUs, refusing those that cannot be true, fitting the clock.
#include "timeline/trace_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "timeline/meta_text.h"

namespace kutrace {

namespace {

// A block may be started a little before the start pair is read, or after the stop pair.
constexpr Ticks kPairSlack = Ticks{1} << KUTRACE_TIME_BITS;
// Wall clocks are stepped while recordings run, but not by more than this.
constexpr double kMaxWallError_usec = 3600e6;
constexpr double kMinNsPerTick = 0.1;
constexpr double kMaxNsPerTick = 2000;

// The leading name entries of a block; returns whether the block holds nothing else.
bool read_names(const Block& block, bool all, std::vector<Entry>& names) {
  DecodeCounters ignored;
  BlockDecoder decoder(block, ignored);
  Entry entry;
  bool only_names = true;
  while (decoder.next(entry)) {
    if (event_class(entry.number) == EventClass::kName) {
      if (only_names || all) names.push_back(entry);
    } else {
      only_names = false;
      if (!all) return false;
    }
  }
  return only_names;
}

std::optional<std::uint64_t> block_sequence(const Block& block, CpuId& cpu) {
  DecodeCounters ignored;
  BlockDecoder decoder(block, ignored);
  Entry entry;
  if (!decoder.next(entry) || name_kind(entry.number) != kind::kBLOCK ||
      event_class(entry.number) != EventClass::kName || entry.words != KUTRACE_BLOCK_WORDS_USED) {
    return std::nullopt;
  }
  cpu = entry.arg;
  return entry.payload_word(0);
}

std::optional<double> fact_ns_per_tick(const TraceLayout& layout) {
  const auto text = find_fact(layout.facts, "tick_ns");
  if (!text) return std::nullopt;
  double numerator = 0;
  double denominator = 1;
  if (std::sscanf(text->c_str(), "%lf/%lf", &numerator, &denominator) < 1) return std::nullopt;
  const double value = numerator / denominator;
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

// Builds a TraceLayout in the order of its member functions.
class LayoutMaker {
 public:
  explicit LayoutMaker(const RawFile& file)
      : file_(file), start_(file.start()), stop_(file.stop()) {}

  Result<TraceLayout> make() {
    layout_.damage = file_.damage();
    layout_.wrapped = file_.wrapped();
    read_preamble();
    KUTRACE_TRY(fit_clock());
    place_blocks();
    set_bounds();
    return std::move(layout_);
  }

 private:
  void read_preamble() {
    const auto& blocks = file_.blocks();
    while (first_event_block_ < blocks.size()) {
      const bool first = first_event_block_ == 0;
      const std::size_t before = layout_.preamble.size();
      const bool only_names =
          read_names(blocks[first_event_block_], first && file_.wrapped(), layout_.preamble);
      if (!only_names) {
        if (!first) layout_.preamble.resize(before);
        break;
      }
      ++first_event_block_;
    }
    MetaText meta;
    for (const Entry& entry : layout_.preamble) {
      if (name_kind(entry.number) == kind::kMETA) meta.push(entry);
    }
    layout_.facts = meta.facts();
    const bool ours = find_fact(layout_.facts, "source").has_value();
    const auto count = find_fact(layout_.facts, "blocks");
    stop_known_ = !ours || count.has_value();
    layout_.complete =
        !file_.cut() && (!ours || (count && *count == std::to_string(blocks.size())));
    if (!layout_.complete) ++layout_.damage["recording_not_complete"];
  }

  bool inside_pairs(const Block& block) const {
    return block.base + kPairSlack >= start_.counter &&
           (!stop_known_ || block.base <= stop_.counter + kPairSlack);
  }

  // Blocks that have events, and so a counter worth looking at.
  std::vector<const Block*> event_blocks() const {
    std::vector<const Block*> blocks;
    for (std::size_t i = first_event_block_; i < file_.blocks().size(); ++i) {
      blocks.push_back(&file_.blocks()[i]);
    }
    return blocks;
  }

  Status fit_clock() {
    const auto blocks = event_blocks();
    const auto inside = std::count_if(blocks.begin(), blocks.end(),
                                      [this](const Block* block) { return inside_pairs(*block); });
    const bool pairs_lie = 2 * static_cast<std::size_t>(inside) < blocks.size();
    if (pairs_lie || start_.counter == 0) distrust_pairs(blocks);
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
    return {};
  }

  void distrust_pairs(const std::vector<const Block*>& blocks) {
    if (blocks.empty()) return;
    ++layout_.damage["clock_pair_distrusted"];
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
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
    std::nth_element(slopes.begin(), middle, slopes.end());
    return *middle;
  }

  bool believable(const Block& block) const {
    if (!inside_pairs(block)) return false;
    const double expected = static_cast<double>(start_.usec) +
                            static_cast<double>(layout_.clock.to_ns(block.base)) / 1000.0;
    return block.usec == 0 ||
           std::abs(expected - static_cast<double>(block.usec)) < kMaxWallError_usec;
  }

  void place_blocks() {
    std::map<CpuId, std::vector<PlacedBlock>> by_cpu;
    for (const Block& block : file_.blocks()) {
      const bool first_of_wrap = block.number == 0 && file_.wrapped();
      if (block.number < first_event_block_ || first_of_wrap) continue;
      if (!believable(block)) {
        ++layout_.damage["block_time_outside"];
        continue;
      }
      PlacedBlock placed;
      placed.block = block;
      CpuId said = block.cpu;
      placed.sequence = block_sequence(block, said);
      if (said != block.cpu) {
        ++layout_.damage["block_cpu_contradicted"];
        placed.block.cpu = said;
      }
      by_cpu[placed.block.cpu].push_back(placed);
    }
    for (auto& [cpu, blocks] : by_cpu) {
      sort_by_time(blocks);
      drop_duplicates(blocks);
      layout_.cpus.push_back({cpu, std::move(blocks)});
    }
  }

  static void sort_by_time(std::vector<PlacedBlock>& blocks) {
    std::stable_sort(blocks.begin(), blocks.end(), [](const PlacedBlock& a, const PlacedBlock& b) {
      if (a.sequence && b.sequence) return *a.sequence < *b.sequence;
      return a.block.base < b.block.base;
    });
  }

  void drop_duplicates(std::vector<PlacedBlock>& blocks) {
    const auto same = [](const PlacedBlock& a, const PlacedBlock& b) {
      return a.block.base == b.block.base && a.sequence == b.sequence &&
             a.block.word_count == b.block.word_count &&
             std::memcmp(a.block.words, b.block.words, 8 * std::size_t{a.block.word_count}) == 0;
    };
    const auto end = std::unique(blocks.begin(), blocks.end(), same);
    if (end != blocks.end()) {
      layout_.damage["duplicate_block"] += static_cast<std::uint64_t>(blocks.end() - end);
    }
    blocks.erase(end, blocks.end());
  }

  void set_bounds() {
    layout_.begin = 0;
    layout_.end = stop_known_ ? std::max<Ns>(0, layout_.clock.to_ns(stop_.counter)) : 0;
    if (!layout_.wrapped || layout_.cpus.empty()) return;
    Ns first = layout_.clock.to_ns(layout_.cpus.front().blocks.front().block.base);
    for (const CpuBlocks& cpu : layout_.cpus) {
      first = std::min(first, layout_.clock.to_ns(cpu.blocks.front().block.base));
    }
    layout_.begin = std::max<Ns>(0, first);
  }

  const RawFile& file_;
  TimePair start_;
  TimePair stop_;
  std::size_t first_event_block_ = 0;
  bool stop_known_ = true;  // false: the recorder was killed, block 0 holds a provisional stop
  TraceLayout layout_;
};

}  // namespace

Result<TraceLayout> lay_out(const RawFile& file) { return LayoutMaker(file).make(); }

}  // namespace kutrace
