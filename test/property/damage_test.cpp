// SPDX-License-Identifier: BSD-3-Clause
// Damaged files: an error that says where and what, or a replay for which the law holds and which
// declares what is lost.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "kutrace/abi.h"
#include "property/observed.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint64_t kSeeds = 40;

TruthOptions small(std::uint64_t seed, bool own) {
  TruthOptions options = random_options(seed);
  options.steps = 600;
  options.own = own;
  options.block_words = 150;
  return options;
}

// What must be true of any file at all.
void survive(Bytes file, Observed& seen) {
  observe(std::move(file), seen);
  if (!seen.usable) {
    CHECK(seen.error.find("hint: ") != std::string::npos);
    return;
  }
  CHECK(seen.law.violations.first == std::vector<std::string>{});
  CHECK(seen.negative == 0);
}

Bytes cut(const Bytes& file, std::size_t length) {
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)};
}

auto block_at(Bytes& file, std::size_t number) {
  return file.begin() + static_cast<std::ptrdiff_t>(number * KUTRACE_BLOCK_BYTES);
}

Bytes without_block(Bytes file, std::size_t number) {
  file.erase(block_at(file, number), block_at(file, number + 1));
  return file;
}

// Used bytes of a block: what follows is zero.
std::size_t used(const Bytes& file, std::size_t number) {
  std::size_t end = (number + 1) * KUTRACE_BLOCK_BYTES;
  while (end > number * KUTRACE_BLOCK_BYTES && file[end - 1] == std::byte{0}) --end;
  return end - number * KUTRACE_BLOCK_BYTES;
}

Ns lost_on(const Observed& seen, CpuId cpu, Ns begin, Ns end) {
  Ns lost = 0;
  for (const Span& span : seen.spans) {
    if (span.kind != SpanKind::kLoss || span.cpu != cpu) continue;
    lost +=
        std::max<Ns>(0, std::min(end, span.start + span.duration) - std::max(begin, span.start));
  }
  return lost;
}

// The interval whose entries stood in a block, up to the next entry that is left.
std::pair<Ns, Ns> hidden_by(const Truth& truth, const WrittenBlock& lost) {
  Ns end = truth.end;
  for (const WrittenBlock& block : truth.blocks) {
    if (block.cpu == lost.cpu && block.first > lost.first) {
      end = std::min(end, static_cast<Ns>(block.first) * 16);
    }
  }
  return {static_cast<Ns>(lost.first) * 16, end};
}

// Before the loss everything is known as ever; the hidden interval is loss but for the rounding of
// block starts.
void must_declare(const Truth& truth, const Observed& seen, const WrittenBlock& lost) {
  constexpr Ns kSlack = 200 * 16;
  const auto [begin, end] = hidden_by(truth, lost);
  CAPTURE(lost.cpu, begin, end);
  const bool silent = std::none_of(truth.blocks.begin(), truth.blocks.end(), [&](const auto& b) {
    return b.cpu == lost.cpu && b.number != lost.number;
  });
  if (silent) return;  // nothing in the file says that this CPU exists
  CHECK(lost_on(seen, lost.cpu, begin, end) >= end - begin - kSlack);
  CHECK_FALSE(seen.info.losses.empty());
}

TEST_CASE("a lost block of our own traces is loss for the time it held") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Truth truth = generate_truth(small(seed, true));
    CAPTURE(seed);
    for (std::size_t i = 0; i < truth.blocks.size(); i += 1 + truth.blocks.size() / 4) {
      Observed seen;
      survive(without_block(truth.file, truth.blocks[i].number), seen);
      REQUIRE(seen.usable);
      must_declare(truth, seen, truth.blocks[i]);
    }
  }
}

TEST_CASE("a block of zeros is as good as lost") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Truth truth = generate_truth(small(seed, true));
    CAPTURE(seed);
    for (std::size_t i = 0; i < truth.blocks.size(); i += 1 + truth.blocks.size() / 4) {
      Bytes file = truth.file;
      std::fill(block_at(file, truth.blocks[i].number), block_at(file, truth.blocks[i].number + 1),
                std::byte{0});
      Observed seen;
      survive(std::move(file), seen);
      REQUIRE(seen.usable);
      must_declare(truth, seen, truth.blocks[i]);
    }
  }
}

TEST_CASE("a block that stands in the file twice counts once") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    TruthOptions options = small(seed, true);
    options.late_stores = false;
    const Truth truth = generate_truth(options);
    const std::size_t count = truth.file.size() / KUTRACE_BLOCK_BYTES;
    for (const std::size_t from : {std::size_t{0}, count / 2, count - 1}) {
      Bytes file = truth.file;
      const auto offset = static_cast<std::ptrdiff_t>(from * KUTRACE_BLOCK_BYTES);
      file.insert(file.end(), truth.file.begin() + offset,
                  truth.file.begin() + offset + KUTRACE_BLOCK_BYTES);
      Observed seen;
      survive(std::move(file), seen);
      CAPTURE(seed, from);
      CHECK(first_difference(merged(truth.spans), merged(seen.spans)) == "");
      CHECK(seen.info.counters.named(Severity::kDamage) == Counts{{"duplicate_block", 1}});
    }
  }
}

TEST_CASE("random words in a block cost no more than the truth of what they say") {
  std::mt19937_64 engine(7);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Bytes file = generate_truth(small(seed, seed % 2 == 0)).file;
    const std::size_t count = file.size() / KUTRACE_BLOCK_BYTES;
    CAPTURE(seed);
    for (int round = 0; round < 12; ++round) {
      Bytes damaged = file;
      const std::size_t block = engine() % count;
      const std::size_t from = engine() % used(file, block);
      for (std::size_t i = 0; i < 8 * (1 + engine() % 30); ++i) {
        const std::size_t at = block * KUTRACE_BLOCK_BYTES + from + i;
        if (at < damaged.size()) damaged[at] = static_cast<std::byte>(engine());
      }
      Observed seen;
      survive(std::move(damaged), seen);
      // Without its first block a file may be no trace; any other one is only itself.
      CAPTURE(block, from);
      CHECK((seen.usable || block == 0));
    }
  }
}

TEST_CASE("a file cut at any length of its first and last blocks is survived") {
  for (const bool own : {true, false}) {
    TruthOptions options = small(3, own);
    options.steps = 120;
    options.cpus = 2;
    const Bytes file = generate_truth(options).file;
    const std::size_t last = file.size() - KUTRACE_BLOCK_BYTES;
    const std::size_t last_used = used(file, file.size() / KUTRACE_BLOCK_BYTES - 1);
    const std::size_t first_used = used(file, 0);
    // Without all of its first header it is refused, else read and said to be cut. Where a whole
    // block is gone, only files of ours tell.
    const auto must_tell = [&](std::size_t length) {
      Observed seen;
      survive(cut(file, length), seen);
      CAPTURE(own, length);
      REQUIRE(seen.usable == (length >= 8 * KUTRACE_FIRST_HEADER_WORDS));
      if (!seen.usable) return;
      const Counts damage = seen.info.counters.named(Severity::kDamage);
      CHECK(damage.contains("file_cut") == (length % KUTRACE_BLOCK_BYTES != 0));
      CHECK(damage.contains("recording_not_complete") ==
            (own || length % KUTRACE_BLOCK_BYTES != 0));
    };
    // Past the used words a block is zero, and all its lengths are alike: a few of them do.
    for (std::size_t length = 0; length <= first_used + 64; ++length) must_tell(length);
    for (std::size_t length = first_used; length < KUTRACE_BLOCK_BYTES; length += 61) {
      must_tell(length);
    }
    for (std::size_t length = 0; length <= last_used + 64; ++length) must_tell(last + length);
    for (std::size_t length = last_used; length < KUTRACE_BLOCK_BYTES; length += 61) {
      must_tell(last + length);
    }
  }
}

TEST_CASE("a cut file of ours declares the end of each CPU as lost") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Truth truth = generate_truth(small(seed, true));
    Observed seen;
    survive(cut(truth.file, truth.file.size() - 8), seen);
    CAPTURE(seed);
    CHECK(seen.info.counters.named(Severity::kDamage).contains("file_cut"));
    CHECK(seen.info.counters.named(Severity::kDamage).contains("recording_not_complete"));
    CHECK_FALSE(seen.info.losses.empty());
  }
}

TEST_CASE("any single bit of a block header may be wrong") {
  constexpr std::size_t kVersionByte = 15;
  for (const bool own : {true, false}) {
    TruthOptions options = small(5, own);
    options.steps = 100;
    options.cpus = 2;
    Bytes file = generate_truth(options).file;
    for (std::size_t block = 0; block < file.size() / KUTRACE_BLOCK_BYTES; ++block) {
      // The header, and for ours the sequence number that follows it.
      const std::size_t words =
          (block == 0 ? KUTRACE_FIRST_HEADER_WORDS : KUTRACE_HEADER_WORDS) + 2;
      for (std::size_t bit = 0; bit < 64 * words; ++bit) {
        std::byte& place = file[block * KUTRACE_BLOCK_BYTES + bit / 8];
        const auto mask = static_cast<std::byte>(1u << bit % 8);
        place ^= mask;
        CAPTURE(own, block, bit);
        Observed seen;
        survive(file, seen);
        // Another version may be none that is known.
        CHECK((seen.usable || (block == 0 && bit / 8 == kVersionByte)));
        place ^= mask;
      }
    }
  }
}

// ---- files that are no traces, and headers that cannot be true --------------------------------

Bytes bytes_of(std::string_view text) {
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string error_of(Bytes file) {
  Observed seen;
  observe(std::move(file), seen);
  CHECK_FALSE(seen.usable);
  return seen.error;
}

void set_word(Bytes& file, std::size_t index, std::uint64_t value) {
  std::memcpy(file.data() + 8 * index, &value, sizeof value);
}

TEST_CASE("a file that is no trace is refused with what it is and what to do") {
  using Catch::Contains;
  CHECK_THAT(error_of({}), Contains("the file is empty") && Contains("hint: "));
  CHECK_THAT(error_of(bytes_of("0123456789")), Contains("10 bytes are less than a block header"));
  std::string text = "[1] 2025-09-17_13:57:00.000000 a line of event text\n";
  while (text.size() < 200'000) text += text;
  CHECK_THAT(error_of(bytes_of(text)), Contains("is text, not a raw trace"));
  std::string json = R"({"Comment" : "V3 flags", "cpuModelName" : "x", "events" : [)";
  json.resize(70'000, ' ');
  CHECK_THAT(error_of(bytes_of(json)),
             Contains("generated: byte 0: is text") && Contains("hint: "));
  CHECK_THAT(error_of(Bytes(200'000)), Contains("trace version 0 is unknown"));
}

TEST_CASE("a trace of a version to come is refused by name") {
  for (std::uint64_t version = 4; version <= 15; ++version) {
    Bytes file = generate_truth(small(1, true)).file;
    file[15] = static_cast<std::byte>(version);
    const std::string error = error_of(file);
    CHECK_THAT(error, Catch::Contains("byte 15 (block 0)") &&
                          Catch::Contains("trace version " + std::to_string(version)));
  }
}

TEST_CASE("clock pairs that run backward are not believed") {
  for (const bool own : {true, false}) {
    const Truth truth = generate_truth(small(2, own));
    Bytes file = truth.file;
    std::uint64_t words[6];
    std::memcpy(words, file.data(), sizeof words);
    set_word(file, 2, words[4]);
    set_word(file, 3, words[5]);
    set_word(file, 4, words[2]);
    set_word(file, 5, words[3]);
    Observed seen;
    survive(std::move(file), seen);
    CAPTURE(own);
    REQUIRE(seen.usable);
    CHECK(seen.info.counters.named(Severity::kDamage).contains("clock_pair_distrusted"));
  }
}

TEST_CASE("dates of 1970 and 2106 are dates like others") {
  for (const std::uint64_t date : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (const bool own : {true, false}) {
      TruthOptions options = small(4, own);
      options.late_stores = false;
      const Truth truth = generate_truth(options);
      Bytes file = truth.file;
      std::uint64_t start = 0;
      std::memcpy(&start, file.data() + 24, sizeof start);
      const std::uint64_t shift = date * 1'000'000 - start;
      for (std::size_t block = 0; block < file.size() / KUTRACE_BLOCK_BYTES; ++block) {
        std::uint64_t usec = 0;
        const std::size_t word = block * KUTRACE_BLOCK_WORDS + 1;
        std::memcpy(&usec, file.data() + 8 * word, sizeof usec);
        const std::uint64_t flags = usec & ~KUTRACE_LOW56_MASK;
        set_word(file, word, flags | (((usec & KUTRACE_LOW56_MASK) + shift) & KUTRACE_LOW56_MASK));
      }
      std::uint64_t stop = 0;
      std::memcpy(&stop, file.data() + 40, sizeof stop);
      set_word(file, 3, start + shift);
      set_word(file, 5, stop + shift);
      Observed seen;
      survive(std::move(file), seen);
      CAPTURE(date, own);
      REQUIRE(seen.usable);
      CHECK(seen.info.wall_usec == date * 1'000'000);
      CHECK(seen.info.counters.named(Severity::kDamage) == Counts{});
      CHECK(first_difference(merged(truth.spans), merged(seen.spans)) == "");
    }
  }
}

}  // namespace
}  // namespace kutrace::test
