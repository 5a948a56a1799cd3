// SPDX-License-Identifier: BSD-3-Clause
// What is written to a raw file is what its readers find there: random content of every kind, texts
// and names at the ends of blocks, numbers of blocks, losses, room that is kept.
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "decode/block_decoder.h"
#include "format/entry_word.h"
#include "format/event_table.h"
#include "format/name_blocks.h"
#include "format/raw_writer.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
#include "support/event_numbers.h"
#include "timeline/trace_layout.h"

namespace kutrace::test {
namespace {

constexpr Ticks kBegin = 5'000'000'000;
constexpr std::uint64_t kBeginUsec = 1'700'000'000'000'000;

// The file as it would stand on a disk: a block is written where it belongs.
struct Disk {
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> order;  // of writes

  BlockOutput output() {
    return [this](std::uint64_t number, std::string_view block) -> Status {
      const std::size_t at = number * block.size();
      if (bytes.size() < at + block.size()) bytes.resize(at + block.size());
      std::memcpy(bytes.data() + at, block.data(), block.size());
      order.push_back(number);
      return {};
    };
  }
  RawFile open() const {
    auto file = RawFile::open(MappedFile::from_bytes(bytes, "written"));
    if (!file) FAIL(describe(file.error()));
    return std::move(*file);
  }
};

RawWriter::Options options(unsigned flags = 0, std::size_t front_blocks = 1) {
  RawWriter::Options options;
  options.source = "test";
  options.start = {kBegin, kBeginUsec};
  options.rate = {16, 1};
  options.flags = flags;
  options.front_blocks = front_blocks;
  return options;
}

BlockHeader header_at_begin() {
  BlockHeader header;
  header.start = {kBegin, kBeginUsec};
  return header;
}

TimePair stop_at(Ticks counter) { return {counter, kBeginUsec + (counter - kBegin) * 16 / 1000}; }

timeline::TraceLayout laid_out(const RawFile& file) {
  auto layout = timeline::lay_out(file);
  if (!layout) FAIL(describe(layout.error()));
  return std::move(*layout);
}

// One thing that happened: time, event, argument or result, trailer nibble, payload.
using Happened = std::tuple<Ticks, EventNum, std::uint32_t, unsigned, std::vector<std::uint64_t>>;
using ByCpu = std::map<CpuId, std::vector<Happened>>;

std::vector<std::uint64_t> payload_of(const decode::Entry& entry) {
  std::vector<std::uint64_t> words;
  for (unsigned i = 0; i + 1 < entry.words; ++i) words.push_back(entry.payload_word(i));
  return words;
}

bool is_block_number(const decode::Entry& entry) {
  return event_class(entry.number) == EventClass::kName && name_kind(entry.number) == kind::kBLOCK;
}

// What the readers find on each CPU; a folded call is a call and a return.
ByCpu found_in(const timeline::TraceLayout& layout) {
  ByCpu found;
  for (const timeline::CpuBlocks& cpu : layout.cpus) {
    std::uint64_t next = 0;
    for (const timeline::PlacedBlock& placed : cpu.blocks) {
      CHECK(placed.sequence == next++);
      decode::DecodeCounters counters;
      decode::BlockDecoder decoder(placed.block, counters);
      decode::Entry entry;
      while (decoder.next(entry)) {
        if (is_block_number(entry)) continue;
        const unsigned nibble = entry.words == 1 ? entry.ipc & 15u : 0;
        found[cpu.cpu].emplace_back(entry.time, entry.number, entry.arg, nibble, payload_of(entry));
        if (entry.fold_ticks == 0) continue;
        found[cpu.cpu].emplace_back(entry.time + entry.fold_ticks, entry.number | ev::kReturnBit,
                                    entry.result, entry.ipc >> 4, std::vector<std::uint64_t>());
      }
      CHECK(counters.late_store + counters.tsdelta_refused + counters.bad_length +
                counters.past_block_end ==
            0);
    }
  }
  return found;
}

// Says random things of some CPUs to a writer, and keeps what it said.
class Talker {
 public:
  Talker(RawWriter& writer, std::uint64_t seed, bool counts)
      : writer_(writer), random_(seed), counts_(counts) {}

  void talk(unsigned cpus, unsigned things) {
    for (unsigned i = 0; i < things; ++i) say(cpu_number(pick(cpus)));
  }
  const ByCpu& said() const { return said_; }
  Ticks last() const { return last_; }

 private:
  static CpuId cpu_number(unsigned index) { return index * 300; }  // of 16 bits
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  std::uint8_t nibble() { return counts_ ? static_cast<std::uint8_t>(pick(16)) : std::uint8_t{0}; }

  // Most things are close to each other; some gaps must be told, some need another block.
  Ticks later(CpuId cpu) {
    Ticks& now = now_.try_emplace(cpu, kBegin).first->second;
    const unsigned choice = pick(400);
    if (choice == 0) {
      now += KUTRACE_TSDELTA_MAX + (Ticks{pick(1u << 31)} << 1);
    } else if (choice < 8) {
      now += KUTRACE_TSDELTA_TICKS - 2 + pick(1u << 22);
    } else {
      now += pick(700);
    }
    last_ = std::max(last_, now);
    return now;
  }

  void keep(CpuId cpu, Ticks time, EventNum event, std::uint32_t arg, unsigned nibble,
            std::vector<std::uint64_t> payload = {}) {
    said_[cpu].emplace_back(time, event, arg, nibble, std::move(payload));
  }

  void say(CpuId cpu) {
    switch (pick(6)) {
      case 0:
        return point(cpu, ev::kUSERPID, pick(1u << 28) | pick(4) << 30);
      case 1:
        return point(cpu, ev::kMARK_D, static_cast<std::uint32_t>(random_()));
      case 2:
        return name(cpu);
      case 3:
        return sample(cpu);
      default:
        return call(cpu);
    }
  }
  void point(CpuId cpu, EventNum event, std::uint32_t arg) {
    const Ticks time = later(cpu);
    const std::uint8_t ipc = nibble();
    REQUIRE(writer_.put(cpu, time, event, arg, ipc));
    keep(cpu, time, event, arg, ipc);
  }
  void name(CpuId cpu) {
    const Ticks time = later(cpu);
    const LooseEntry entry = name_entry(kind::kPID_NAME, pick(1000), std::string(pick(60), 'n'));
    REQUIRE(writer_.put(cpu, time, entry));
    keep(cpu, time, entry.number, entry.arg, 0, entry.payload);
  }
  void sample(CpuId cpu) {
    const Ticks time = later(cpu);
    const std::uint64_t pc = random_();
    REQUIRE(writer_.put_sample(cpu, time, ev::kPC_USER, 7, pc));
    keep(cpu, time, ev::kPC_USER, 7, 0, {pc});
  }
  // Results are of either sign, small and not; returns come at once, soon, late, or not at all.
  void call(CpuId cpu) {
    const EventNum call = pick(3) == 0 ? ev::kPageFault : syscall_event(pick(kNarrowSyscalls));
    point(cpu, call, pick(1u << 16));
    if (pick(5) == 0) return;
    if (pick(5) == 0) point(cpu, ev::kRUNNABLE, pick(100));
    const Ticks time = later(cpu);
    const auto result = static_cast<std::uint16_t>(pick(300) - 150);
    const std::uint8_t ipc = nibble();
    REQUIRE(writer_.put_return(cpu, time, call, result, ipc));
    keep(cpu, time, call | ev::kReturnBit, result, ipc);
  }

  RawWriter& writer_;
  std::mt19937_64 random_;
  bool counts_;
  std::map<CpuId, Ticks> now_;
  ByCpu said_;
  Ticks last_ = kBegin;
};

TraceInfo proven(const RawFile& file) {
  NameTable names;
  reports::LawCheck law;
  auto info = spans::rebuild(file, names, law);
  if (!info) FAIL(describe(info.error()));
  CHECK(law.report().holds());
  return std::move(*info);
}

std::vector<std::string> texts_in(const timeline::TraceLayout& layout, EventNum kind) {
  std::vector<std::string> texts;
  for (const decode::Entry& entry : layout.preamble) {
    if (name_kind(entry.number) == kind) texts.push_back(entry.payload_text());
  }
  return texts;
}

}  // namespace

TEST_CASE("random content is read back as it was said, and the laws hold") {
  bool folded = false;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const bool counts = seed % 3 == 0;
    Disk disk;
    RawWriter writer(options(counts ? unsigned{KUTRACE_FLAG_IPC} : 0u), disk.output());
    Talker talker(writer, seed, counts);
    talker.talk(1 + seed % 4, 20'000);
    REQUIRE(writer.finish(stop_at(talker.last() + 1000)));
    const RawFile file = disk.open();
    CHECK((file.flags() & KUTRACE_FLAG_IPC) == (counts ? KUTRACE_FLAG_IPC : 0));
    const timeline::TraceLayout layout = laid_out(file);
    CHECK(layout.complete);
    CHECK_FALSE(layout.counters.any(Severity::kDamage));
    const ByCpu found = found_in(layout);
    CHECK(found == talker.said());
    std::size_t entries = 0;
    for (const auto& [cpu, all] : found) entries += all.size();
    folded = folded || disk.bytes.size() < 8 * entries;
    proven(file);
  }
  CHECK(found_in(timeline::TraceLayout()).empty());
}

TEST_CASE("a short return takes no room of its own, another has its own entry") {
  const auto words_for = [](Ticks ticks, std::uint16_t result, std::uint32_t arg) {
    CpuWriter writer({.cpu = 3});
    writer.open(header_at_begin());
    writer.put(kBegin, low44(kRead, arg));
    const bool folded = writer.fold(kBegin + ticks, kRead, result);
    CHECK_FALSE(writer.fold(kBegin + ticks, kRead, result));  // it has returned
    return folded;
  };
  CHECK(words_for(1, 0, 0));
  CHECK(words_for(255, 127, 0xffff));
  CHECK(words_for(9, static_cast<std::uint16_t>(-128), 0));
  CHECK_FALSE(words_for(0, 0, 0));
  CHECK_FALSE(words_for(256, 0, 0));
  CHECK_FALSE(words_for(9, 128, 0));
  CHECK_FALSE(words_for(9, static_cast<std::uint16_t>(-129), 0));
  CHECK_FALSE(words_for(9, 0, 0x10000));
}

TEST_CASE("names that end where a block ends are read back, wherever it ends") {
  for (std::size_t first = 1; first <= KUTRACE_NAME_BYTES; first += 8) {
    CAPTURE(first);
    Disk disk;
    RawWriter writer(options(), disk.output());
    std::vector<std::string> texts{std::string(first, 'a')};
    for (std::size_t i = 0; i < 3500; ++i) {
      texts.push_back("name " + std::to_string(i) + std::string(i % 45, 'x'));
    }
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      writer.names().add_name(kind::kPID_NAME, i, texts[i]);
    }
    REQUIRE(writer.put(0, kBegin, ev::kUSERPID, 1));
    REQUIRE(writer.finish(stop_at(kBegin + 1000)));
    const RawFile file = disk.open();
    CHECK(file.blocks().size() > 3);
    for (const Block& block : file.blocks()) CHECK(block.word(KUTRACE_BLOCK_WORDS - 1) == 0);
    const timeline::TraceLayout layout = laid_out(file);
    CHECK(layout.complete);
    CHECK_FALSE(layout.counters.any(Severity::kDamage));
    CHECK(texts_in(layout, kind::kPID_NAME) == texts);
  }
}

TEST_CASE("a text longer than an entry, and longer than what is left of a block, is one text") {
  Disk disk;
  RawWriter writer(options(), disk.output());
  std::map<std::string, std::string> facts;
  for (std::size_t i = 0; i < 20; ++i) {
    facts["fact" + std::to_string(i)] =
        std::string(55 * i + i * i * 30, static_cast<char>('a' + i));
  }
  for (const auto& [key, value] : facts) writer.names().add(key, value);
  REQUIRE(writer.put(0, kBegin, ev::kUSERPID, 1));
  REQUIRE(writer.finish(stop_at(kBegin + 1000)));
  const RawFile file = disk.open();
  CHECK(file.blocks().size() > 2);
  const timeline::TraceLayout layout = laid_out(file);
  CHECK_FALSE(layout.counters.any(Severity::kDamage));
  for (const auto& [key, value] : facts) {
    CAPTURE(key);
    REQUIRE(layout.facts.find(key) != nullptr);
    CHECK(*layout.facts.find(key) == value);
  }
  CHECK(layout.facts.get(fact::kSource) == "test");
  CHECK(*layout.facts.find("tick_ns") == "16/1");
  CHECK(layout.facts.get(fact::kBlocks) == file.blocks().size());
}

TEST_CASE("a text that no chunk can number is cut, not mixed up") {
  NameEntries names;
  names.add_text(kind::kMETA, "long=" + std::string(20'000, 'y'));
  names.add("next", "1");
  BlockWriter block(header_at_begin(), false);
  CHECK(names.fill(block, 0) == names.words());
  std::vector<std::uint32_t> arguments;
  for (std::uint32_t at = KUTRACE_HEADER_WORDS; at < block.position();
       at += name_words(entry_event(block.words()[at]))) {
    arguments.push_back(entry_arg(block.words()[at]));
  }
  REQUIRE(arguments.size() == 257);
  for (std::uint32_t i = 0; i < 256; ++i) CHECK(arguments[i] == i);
  CHECK(arguments.back() == 1 << 8);
}

TEST_CASE("threads and losses are read back; what an empty name says is nothing") {
  Disk disk;
  RawWriter writer(options(), disk.output());
  writer.names().add_name(kind::kLOCK_NAME, 1, "");
  writer.names().add(task_entry({20, 10, 1, KUTRACE_TASK_COMMAND, 202}));
  writer.names().add(task_entry({30, kNoPid, kNoPid, 0, {}}));
  writer.names().add(loss_entry({1, KUTRACE_LOSS_DISK, kBegin + 100, kBegin + 200, 17}));
  REQUIRE(writer.put(0, kBegin, ev::kUSERPID, 20));
  REQUIRE(writer.put(1, kBegin, ev::kUSERPID, 30));
  REQUIRE(writer.finish(stop_at(kBegin + 1000)));
  const RawFile file = disk.open();
  std::vector<std::vector<std::uint64_t>> tasks;
  const timeline::TraceLayout layout = laid_out(file);
  for (const decode::Entry& entry : layout.preamble) {
    if (name_kind(entry.number) == kind::kTASK) tasks.push_back(payload_of(entry));
  }
  CHECK(tasks == std::vector<std::vector<std::uint64_t>>{
                     {203ull << 32 | KUTRACE_TASK_COMMAND, 1ull << 32 | 10}, {0, ~0ull}});
  CHECK(texts_in(layout, kind::kLOCK_NAME).empty());
  const TraceInfo info = proven(file);
  REQUIRE(info.losses.size() == 1);
  CHECK(info.losses[0].cpu == 1);
  CHECK(info.losses[0].begin == 1600);
  CHECK(info.losses[0].end == 3200);
}

TEST_CASE("a block that was written and is gone is a loss") {
  Disk disk;
  RawWriter writer(options(), disk.output());
  for (Ticks i = 0; i < 30'000; ++i)
    REQUIRE(writer.put(0, kBegin + 10 * i, ev::kUSERPID, 1 + i % 2));
  REQUIRE(writer.finish(stop_at(kBegin + 400'000)));
  REQUIRE(disk.bytes.size() == 5 * KUTRACE_BLOCK_BYTES);
  CHECK(proven(disk.open()).losses.empty());
  const auto second = disk.bytes.begin() + 2 * KUTRACE_BLOCK_BYTES;
  disk.bytes.erase(second, second + KUTRACE_BLOCK_BYTES);
  const TraceInfo info = proven(disk.open());
  // That it was the last one cannot be excluded, so the time after the events is lost, too.
  REQUIRE(info.losses.size() == 2);
  constexpr Ns kEntriesOfBlock = KUTRACE_BLOCK_WORDS - KUTRACE_HEADER_WORDS - 3;
  CHECK(info.losses[0].begin == 160 * (kEntriesOfBlock - 1));
  CHECK(info.losses[0].end == 160 * 2 * kEntriesOfBlock);
  CHECK(info.losses[1].end == 400'000 * 16);
  CHECK_FALSE(laid_out(disk.open()).complete);
}

TEST_CASE("room that is kept for names is written last, and what stays of it is no damage") {
  for (const std::size_t kept : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    CAPTURE(kept);
    Disk disk;
    RawWriter writer(options(0, kept), disk.output());
    REQUIRE(writer.put(0, kBegin, ev::kUSERPID, 1));
    REQUIRE(writer.finish(stop_at(kBegin + 1000)));
    std::vector<std::uint64_t> order{kept};
    for (std::uint64_t i = 0; i < kept; ++i) order.push_back(i);
    CHECK(disk.order == order);
    const timeline::TraceLayout layout = laid_out(disk.open());
    CHECK(layout.complete);
    CHECK_FALSE(layout.counters.any(Severity::kDamage));
  }
}

TEST_CASE("names fill the room that is kept before they go elsewhere") {
  NameEntries names;
  for (std::uint32_t i = 0; i < 2000; ++i) names.add_name(kind::kPID_NAME, i, "thread-with-16-b");
  BlockHeader header;
  header.start = {1000, 5'000'000};
  const FileHeader file{header.start, {2000, 5'000'016}, 0};
  CHECK(names.words() < blocks_for(names.words()) * KUTRACE_BLOCK_WORDS);
  const FrontBlocks all = front_blocks(names, header, file, 1, 4);
  CHECK(all.blocks.size() == 2000 * 3 / 8179 + 1);
  CHECK(all.words == names.words());
  CHECK(all.blocks[0].words()[2] == 1000);
  CHECK(all.blocks[0].words()[5] == 5'000'016);
  names.add_text(kind::kSYMBOL, std::string(14'000, 's'));
  names.add_text(kind::kSYMBOL, std::string(14'000, 's'));
  const FrontBlocks one = front_blocks(names, header, file, 1, 1);
  CHECK(one.blocks.size() == 1);
  CHECK(one.words < names.words());
  CHECK(later_blocks(names, one.words, header, false).size() == 1);
  CHECK(later_blocks(names, names.words(), header, false).empty());
}

TEST_CASE("promises to the writer are checked") {
  Disk disk;
  RawWriter writer(options(), disk.output());
  REQUIRE(writer.put(0, kBegin + 10, ev::kUSERPID, 1));
  CHECK_THROWS_AS(writer.put(0, kBegin + 9, ev::kUSERPID, 2), Bug);
  CHECK_THROWS_AS(writer.put(1, kBegin - 1, ev::kUSERPID, 2), Bug);
  CHECK_THROWS_AS(writer.put(0x10000, kBegin + 20, ev::kUSERPID, 2), Bug);
  CHECK_THROWS_AS(writer.put(0, kBegin + 20, ev::kPC_USER, 2), Bug);
  CHECK_THROWS_AS(writer.put_sample(0, kBegin + 20, ev::kUSERPID, 2, 1), Bug);
  CHECK_THROWS_AS(writer.finish(stop_at(kBegin + 9)), Bug);
}

TEST_CASE("an output that fails ends the writing with its error") {
  const BlockOutput full = [](std::uint64_t, std::string_view) -> Status {
    return fail(output_error("no space"));
  };
  RawWriter writer(options(), full);
  REQUIRE(writer.put(0, kBegin, ev::kUSERPID, 1));
  const Status done = writer.finish(stop_at(kBegin + 1000));
  REQUIRE_FALSE(done);
  CHECK(done.error().sentence == "no space");
}

}  // namespace kutrace::test
