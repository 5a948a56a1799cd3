// SPDX-License-Identifier: BSD-3-Clause
// Words to entries: whole times, folded calls, entries of every length.
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "decode/block_decoder.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr Ticks kBase = 0x5'0000'0000;
constexpr Ticks kPeriod = Ticks{1} << KUTRACE_TIME_BITS;

std::uint64_t word(Ticks time, EventNum event, std::uint32_t low = 0) {
  return time << KUTRACE_TIME_SHIFT | std::uint64_t{event} << KUTRACE_EVENT_SHIFT | low;
}

// Decodes the words of a block whose header says `base`.
struct Decoded {
  explicit Decoded(std::vector<std::uint64_t> words, Ticks base = kBase)
      : words_(std::move(words)) {
    Block block;
    block.words = reinterpret_cast<const std::byte*>(words_.data());
    block.word_count = static_cast<std::uint32_t>(words_.size());
    block.base = base;
    decode::BlockDecoder decoder(block, counters);
    for (decode::Entry entry; decoder.next(entry);) entries.push_back(entry);
  }
  std::vector<Ticks> times() const {
    std::vector<Ticks> all;
    for (const decode::Entry& entry : entries) all.push_back(entry.time);
    return all;
  }

  decode::DecodeCounters counters;
  std::vector<decode::Entry> entries;

 private:
  std::vector<std::uint64_t> words_;
};

using Times = std::vector<Ticks>;

// ---- times ----------------------------------------------------------------------------------

TEST_CASE("20-bit times go on over the end of their period") {
  const Decoded d({word(kBase + 5, kRead), word(kBase + kPeriod - 200'000, kRead),
                   word(kBase + kPeriod + 10, kRead)});
  CHECK(d.times() == Times{kBase + 5, kBase + kPeriod - 200'000, kBase + kPeriod + 10});
}

TEST_CASE("a first entry read before the period of its block's base turned over stays before it") {
  const Decoded d({word(kBase - 20, kRead), word(kBase + 20, kRead)});
  CHECK(d.times() == Times{kBase - 20, kBase + 20});
  CHECK(d.counters.late_store == 0);
}

TEST_CASE("an entry stored late is older than the one before and moves none after it") {
  const Decoded d({word(kBase + 1000, kRead), word(kBase + 900, kRead), word(kBase + 1100, kRead)});
  CHECK(d.times() == Times{kBase + 1000, kBase + 900, kBase + 1100});
  CHECK(d.counters.late_store == 1);
}

TEST_CASE("an entry stored late over a turn-over moves none after it") {
  const Ticks turn = kBase + kPeriod;
  const Decoded d({word(turn - 400'000, kRead), word(turn + 40, kRead), word(turn - 30, kRead),
                   word(turn + 90, kRead)},
                  turn - 400'010);
  CHECK(d.times() == Times{turn - 400'000, turn + 40, turn - 30, turn + 90});
}

TEST_CASE("a gap of up to 0xe0000 ticks needs no TSDELTA, any backward step is at most an eighth") {
  const Ticks last = kBase + KUTRACE_TSDELTA_TICKS;
  CHECK(Decoded({word(kBase, kRead), word(last, kRead)}).times() == Times{kBase, last});
  CHECK(Decoded({word(kBase, kRead), word(last + 1, kRead)}).times() ==
        Times{kBase, last + 1 - kPeriod});
}

TEST_CASE("a TSDELTA says how long a gap was") {
  constexpr Ticks kMost = (Ticks{1} << 32) - kPeriod - 1;
  for (const Ticks gap : {Ticks{0xe0001}, kPeriod, 3 * kPeriod + 7, Ticks{1'999'999'999},
                          Ticks{2'000'000'000}, Ticks{1} << 31, Ticks{3'000'000'000}, kMost}) {
    const Ticks after = kBase + 100 + gap;
    const Decoded d({word(kBase + 100, kRead),
                     word(after, ev::kTSDELTA, static_cast<std::uint32_t>(gap)), word(after, kRead),
                     word(after + 5, kRead)});
    CHECK(d.times() == Times{kBase + 100, after, after + 5});
    CHECK(d.counters.tsdelta_refused == 0);
  }
}

TEST_CASE("a TSDELTA may be negative") {
  const auto back = static_cast<std::uint32_t>(-70);
  const Decoded d({word(kBase + 100, kRead), word(kBase + 30, ev::kTSDELTA, back),
                   word(kBase + 30, kRead), word(kBase + 120, kRead)});
  CHECK(d.times() == Times{kBase + 100, kBase + 30, kBase + 120});
}

TEST_CASE("a TSDELTA that starts a block is no gap of this block") {
  const Decoded d({word(kBase + 3, ev::kTSDELTA, 0x345678), word(kBase + 3, kRead)});
  CHECK(d.times() == Times{kBase + 3});
}

TEST_CASE("a gap that two TSDELTAs describe passes once") {
  const Ticks gap = 2 * kPeriod + 50;
  const Ticks after = kBase + gap;
  const Decoded d(
      {word(kBase, kRead), word(after + 9, ev::kTSDELTA, static_cast<std::uint32_t>(gap + 9)),
       word(after + 9, 0x5ec), word(after, ev::kTSDELTA, static_cast<std::uint32_t>(gap)),
       word(after, kRead), word(after + 20, kRead)});
  CHECK(d.times() == Times{kBase, after + 9, after, after + 20});
  CHECK(d.counters.tsdelta_refused == 1);
}

// ---- single words ---------------------------------------------------------------------------

TEST_CASE("a folded call has duration, argument and signed result") {
  const Decoded d({word(kBase, kRead, 7u << 24 | 0xf5u << 16 | 0x1234)});
  REQUIRE(d.entries.size() == 1);
  CHECK(d.entries[0].fold_ticks == 7);
  CHECK(d.entries[0].result == 0xfff5);
  CHECK(d.entries[0].arg == 0x1234);
}

TEST_CASE("a return is never folded, whatever its upper bits hold") {
  const Decoded d({word(kBase, kRead | ev::kReturnBit, 7u << 24 | 0x22)});
  CHECK(d.entries[0].fold_ticks == 0);
  CHECK(d.entries[0].arg == 0x22);
}

TEST_CASE("points with wide arguments keep all 32 bits, others 16") {
  const Decoded d({word(kBase, ev::kUSERPID, 0x12345678), word(kBase, ev::kFREQUENCY, 0x12345678),
                   word(kBase, kRead, 0x00005678)});
  CHECK(d.entries[0].arg == 0x12345678);
  CHECK(d.entries[1].arg == 0x5678);
  CHECK(d.entries[2].arg == 0x5678);
}

TEST_CASE("words of zeros are passed over, a word of ones ends the block") {
  const Decoded d({0, word(kBase + 1, kRead), 0, 0, word(kBase + 2, kRead), ~std::uint64_t{0},
                   word(kBase + 3, kRead)});
  CHECK(d.times() == Times{kBase + 1, kBase + 2});
}

TEST_CASE("time and event of all ones is no entry, with any argument") {
  const Decoded d({word(0xfffff, 0xfff, 0x1234), word(kBase + 2, kRead)});
  CHECK(d.times() == Times{kBase + 2});
  CHECK(Decoded({word(0xffffe, 0xfff, 1)}).entries.size() == 1);
}

// ---- entries of several words ---------------------------------------------------------------

TEST_CASE("names of every length from 1 to 8 words are read whole") {
  for (unsigned length = 1; length <= 8; ++length) {
    const std::string text(8 * (length - 1), 'n');
    std::vector<std::uint64_t> words{word(kBase, kind::kPID_NAME | length << 4, 77)};
    const auto payload = text_words(text);
    words.insert(words.end(), payload.begin(), payload.end());
    words.push_back(word(kBase + 1, kRead));
    const Decoded d(words);
    REQUIRE(d.entries.size() == 2);
    CHECK(d.entries[0].payload_text() == text);
    CHECK(d.entries[0].arg == 77);
    CHECK(d.entries[1].number == kRead);
  }
}

TEST_CASE("a name of 0 or of 9 to 15 words costs its first word only") {
  for (unsigned length = 0; length < 16; ++length) {
    if (length >= 1 && length <= 8) continue;
    const Decoded d({word(kBase, 0x102 | length << 4, 5), word(kBase + 1, kRead)});
    CHECK(d.times() == Times{kBase + 1});
    CHECK(d.counters.bad_length == 1);
  }
}

TEST_CASE("a PC sample is two words, in its old number too") {
  for (const EventNum number :
       {EventNum{0x280}, EventNum{0x281}, EventNum{0x101}, EventNum{0x121}}) {
    const Decoded d({word(kBase, number, 2400), 0xffff'ffff'8123'4567, word(kBase + 1, kRead)});
    CAPTURE(number);
    REQUIRE(d.entries.size() == 2);
    CHECK(d.entries[0].payload_word(0) == 0xffff'ffff'8123'4567);
    CHECK(d.entries[1].time == kBase + 1);
  }
}

TEST_CASE("an entry that needs more words than the block has left ends the block") {
  const Decoded d({word(kBase, kRead), word(kBase + 1, kind::kPID_NAME | 8u << 4, 5), 0x4141});
  CHECK(d.times() == Times{kBase});
  CHECK(d.counters.past_block_end == 1);
  CHECK(Decoded({word(kBase, ev::kPC_USER, 1)}).counters.past_block_end == 1);
}

}  // namespace
}  // namespace kutrace::test
