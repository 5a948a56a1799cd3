// SPDX-License-Identifier: BSD-3-Clause
// The eBPF programs' way of writing entries against the recorder's: whatever comes between any two
// steps, no block is lost, none is written to by two, and every entry is there or counted.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "claim/claim_programs.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "record/blocks/block_walk.h"
#include "record/ebpf/block_pool.h"

namespace kutrace {
namespace {

constexpr std::uint32_t kBlocks = 8;
constexpr EventNum kCall = 0x827;
constexpr EventNum kTimer = 0x5ec;

// What comes between, at which step.
struct Between {
  int steps_left = -1;
  std::function<void()> happens;
  bool busy = false;
};
Between between;

void come_between() {
  if (between.busy || between.steps_left < 0 || between.steps_left-- > 0) return;
  between.busy = true;
  between.happens();
  between.busy = false;
}

class Machine {
 public:
  Machine() {
    std::ranges::fill(rings_, kutrace_rings{});
    for (kutrace_block& block : blocks_) std::ranges::fill(block.word, 0);
    *claim_shared() = kutrace_shared{};
    claim_use(rings_.data(), blocks_.data(), kBlocks);
    claim_before_step(nullptr);
    claim_run(10, 1);
    pool_.emplace(claim_shared(), rings_.data(), blocks_.data(), kBlocks, std::vector<CpuId>{0});
  }
  ~Machine() { claim_before_step(nullptr); }

  record::BlockPool& pool() { return *pool_; }
  kutrace_cpu& cpu() { return claim_shared()->cpus[0]; }
  void start(std::uint32_t level) {
    pool_->top_up(level);
    claim_start();
  }
  // Runs `act`; before its step number `step`, `happens` does. False if it has fewer steps.
  static bool run(int step, const std::function<void()>& happens,
                  const std::function<void()>& act) {
    between = {step, happens, false};
    claim_before_step(come_between);
    act();
    claim_before_step(nullptr);
    return between.steps_left < 0;
  }
  // Takes what is finished and gives it back, as a stream does.
  std::vector<std::vector<std::uint64_t>> consume() {
    std::vector<record::FinishedBlock> finished;
    pool_->collect(finished);
    std::vector<std::vector<std::uint64_t>> copies;
    for (const record::FinishedBlock& block : finished) {
      copies.emplace_back(block.words, block.words + block.end);
      pool_->release(block.index);
    }
    return copies;
  }
  bool reserve_is_blank() {
    const std::uint32_t blank =
        static_cast<std::uint32_t>(std::ranges::count_if(blocks_, [](const kutrace_block& block) {
          return std::ranges::all_of(block.word, [](std::uint64_t word) { return word == 0; });
        }));
    return blank >= pool_->reserve();
  }

 private:
  // One machine after the other has them: memory that is new for each takes longer than the tests.
  static inline std::vector<kutrace_rings> rings_ = std::vector<kutrace_rings>(2);
  static inline std::vector<kutrace_block> blocks_ = std::vector<kutrace_block>(kBlocks);
  std::optional<record::BlockPool> pool_;
};

void put_timers(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) claim_put(kTimer, i);
}

void fill_a_block() { put_timers(KUTRACE_BLOCK_WORDS); }

}  // namespace

TEST_CASE("a CPU that is stopped at any step has no block afterwards, and none is lost") {
  for (const bool has_block : {false, true}) {
    int step = 0;
    for (bool more = true; more; ++step) {
      Machine machine;
      machine.start(has_block ? 1 : 0);
      if (has_block) put_timers(KUTRACE_BLOCK_WORDS - KUTRACE_HEADER_WORDS - 4);
      machine.pool().top_up(2);
      std::optional<record::FinishedBlock> open;
      more = Machine::run(step, [&] { open = machine.pool().stop_cpu(0); }, [] { put_timers(5); });
      if (!more) open = machine.pool().stop_cpu(0);
      CAPTURE(has_block, step);
      CHECK(machine.cpu().next == KUTRACE_STOPPED);
      std::vector<record::FinishedBlock> finished;
      machine.pool().collect(finished);
      const std::uint32_t given = machine.cpu().free_tail - machine.cpu().free_head;
      CHECK(machine.pool().reserve() + given + finished.size() + (open ? 1 : 0) == kBlocks);
    }
    CHECK(step > 5);
  }
}

TEST_CASE("a CPU's free blocks are taken back at any step while it takes one") {
  int step = 0;
  for (bool more = true; more; ++step) {
    Machine machine;
    machine.start(6);  // one is open: five are free, two in the reserve
    std::vector<record::FinishedBlock> finished;
    const auto share = [&] {
      machine.pool().collect(finished);
      machine.pool().top_up(6);
    };
    machine.pool().add_cpu(1);
    constexpr std::uint32_t kLast = 100;  // in which the block is full, and the next one taken
    put_timers(KUTRACE_BLOCK_WORDS - kLast);
    more = Machine::run(step, share, [] { put_timers(kLast); });
    CAPTURE(step);
    share();
    const auto ahead = [](const kutrace_cpu& cpu) { return cpu.free_tail - cpu.free_head; };
    const std::uint32_t here = ahead(machine.cpu());
    const std::uint32_t there = ahead(claim_shared()->cpus[1]);
    CHECK(here == 3);
    CHECK(there == 3);
    CHECK(machine.cpu().lost_total == 0);
    CHECK(machine.pool().open_block(0));
    CHECK(finished.size() == 1);
    CHECK(machine.pool().reserve() + here + there + finished.size() + 1 == kBlocks);
    CHECK_FALSE(machine.pool().is_used_up());
  }
  CHECK(step > 20);
}

TEST_CASE("a buffer is used up when a CPU has no block and nobody has one to give") {
  Machine machine;
  machine.start(4);
  machine.pool().add_cpu(1);
  machine.pool().top_up(4);
  std::vector<record::FinishedBlock> kept;
  std::uint32_t filled = 0;
  for (; filled < 2 * kBlocks && !machine.pool().is_used_up(); ++filled) {
    fill_a_block();
    machine.pool().collect(kept);
    machine.pool().top_up(4);
  }
  CHECK(kept.size() == kBlocks - 2);  // two are left to the other one
  CHECK(machine.pool().reserve() == 0);
  machine.pool().release(kept.front().index);
  CHECK_FALSE(machine.pool().is_used_up());
}

TEST_CASE("a return that comes late changes no block that somebody else has by then") {
  int step = 0;
  for (bool more = true; more; ++step) {
    Machine machine;
    machine.start(3);
    claim_put_call(kCall, 7);
    std::vector<std::vector<std::uint64_t>> copies;
    more = Machine::run(
        step,
        [&] {
          fill_a_block();
          copies = machine.consume();
        },
        [] { claim_put_return(kCall | KUTRACE_RETURN_BIT, 3); });
    CAPTURE(step);
    CHECK(machine.reserve_is_blank());
    // It is there once: with its call, or behind.
    std::ranges::move(machine.consume(), std::back_inserter(copies));
    const auto open = machine.pool().stop_cpu(0);
    REQUIRE(open);
    copies.emplace_back(open->words, open->words + open->end);
    int calls = 0;
    int returns = 0;
    for (std::vector<std::uint64_t>& words : copies) {
      const record::FinishedBlock block{0, 0, static_cast<std::uint32_t>(words.size()),
                                        words.data()};
      record::for_each_entry(block, [&](std::uint32_t at) {
        const EventNum event = entry_event(words[at]);
        const bool folded = (words[at] >> KUTRACE_DELTA_SHIFT & KUTRACE_DELTA_MAX) != 0;
        calls += event == kCall ? 1 : 0;
        returns += event == (kCall | ev::kReturnBit) || (event == kCall && folded) ? 1 : 0;
      });
    }
    CHECK(calls == 1);
    CHECK(returns == 1);
  }
  CHECK(step > 2);
}

TEST_CASE("a result that no entry holds stands right before its return, whatever interrupts") {
  constexpr std::int64_t kAddress = 0x7f12'3456'7000;
  constexpr EventNum kWide = kind::kWIDE | KUTRACE_WIDE_WORDS << KUTRACE_LENGTH_SHIFT;
  int step = 0;
  for (bool more = true; more; ++step) {
    Machine machine;
    machine.start(1);
    claim_put_call(kCall, 7);
    more = Machine::run(
        step, [] { claim_put(kTimer, 1); },
        [] { claim_put_return(kCall | KUTRACE_RETURN_BIT, kAddress); });
    const auto open = machine.pool().stop_cpu(0);
    REQUIRE(open);
    CAPTURE(step);
    std::vector<std::uint32_t> places;
    record::for_each_entry(*open, [&](std::uint32_t at) { places.push_back(at); });
    const auto wide = std::ranges::find_if(
        places, [&](std::uint32_t at) { return entry_event(open->words[at]) == kWide; });
    REQUIRE(places.end() - wide >= 2);
    const std::uint64_t* const told = open->words + wide[0];
    const std::uint64_t last = open->words[wide[1]];
    CHECK(entry_arg(told[0]) == KUTRACE_WIDE_RESULT);
    CHECK(told[3] == kAddress);
    CHECK(entry_event(last) == (kCall | ev::kReturnBit));
    CHECK(last >> KUTRACE_TIME_SHIFT == told[0] >> KUTRACE_TIME_SHIFT);
  }
  CHECK(step > 5);
}

TEST_CASE("what is forgotten leaves every block in the reserve, blank") {
  for (const std::uint32_t entries : {0u, 1u, 3 * KUTRACE_BLOCK_WORDS, 9 * KUTRACE_BLOCK_WORDS}) {
    Machine machine;
    machine.start(6);
    put_timers(entries);
    machine.pool().reset();
    CAPTURE(entries);
    CHECK(machine.pool().reserve() == kBlocks);
    CHECK(machine.reserve_is_blank());
    machine.start(6);
    fill_a_block();
    CHECK(machine.consume().size() == 1);
  }
}

TEST_CASE("another thread than the one switched to is stated before what it does") {
  Machine machine;
  machine.start(1);
  claim_put(kTimer, 0);
  claim_run(20, 2);  // a switch that nobody saw
  claim_put_call(kCall, 7);
  claim_run(15, 2);  // the same thread by another number
  claim_put_return(kCall | KUTRACE_RETURN_BIT, 3);
  const auto open = machine.pool().stop_cpu(0);
  REQUIRE(open);
  std::vector<EventNum> events;
  std::vector<std::uint64_t> args;
  record::for_each_entry(*open, [&](std::uint32_t at) {
    events.push_back(entry_event(open->words[at]));
    args.push_back(entry_arg(open->words[at]));
    if (name_kind(events.back()) == kind::kTASK)
      CHECK(open->words[at + 1] == (std::uint64_t{20} << 32 | KUTRACE_TASK_RENUMBERED));
  });
  const EventNum task = kind::kTASK | KUTRACE_TASK_WORDS << KUTRACE_LENGTH_SHIFT;
  REQUIRE(events.size() == 7);
  CHECK(std::vector<EventNum>(events.begin() + 2, events.end()) ==
        std::vector<EventNum>{kTimer, ev::kUSERPID, kCall, task,
                              static_cast<EventNum>(kCall | ev::kReturnBit)});
  CHECK(args[3] == (20 | KUTRACE_SWITCH_UNSEEN));
  CHECK(args[5] == 15);
}

}  // namespace kutrace
