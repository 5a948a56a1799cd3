// SPDX-License-Identifier: BSD-3-Clause
// Every corruption that a file is known to meet, each through the program: what it is said to do in
// doc/robustness.md is what `kutrace check --strict` does.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "property/observed.h"
#include "property/program_folder.h"
#include "support/trace_builder.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr int kWhole = 0;    // exit codes: nothing is wrong
constexpr int kPartial = 1;  // what can be known is there, the rest is declared
constexpr int kRefused = 3;

// ---- the files --------------------------------------------------------------------------------

const Truth& own() {
  static const Truth truth = [] {
    TruthOptions options;
    options.seed = 11;
    options.power = options.late_stores = options.long_gaps = options.scheduler_frames = false;
    options.block_words = 150;
    return generate_truth(options);
  }();
  return truth;
}

const Truth& upstream() {
  static const Truth truth = [] {
    TruthOptions options;
    options.seed = 11;
    options.power = options.late_stores = options.long_gaps = options.scheduler_frames = false;
    options.block_words = 150;
    options.own = options.shuffled = false;
    return generate_truth(options);
  }();
  return truth;
}

Bytes text_bytes(std::string_view text, std::size_t size) {
  Bytes bytes;
  while (bytes.size() < size) {
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  }
  return bytes;
}

Bytes cut_at(const Truth& truth, std::size_t size) {
  return {truth.file.begin(), truth.file.begin() + static_cast<std::ptrdiff_t>(size)};
}

// A block in the middle of the file, neither a CPU's first nor its last.
std::size_t middle(const Truth& truth) {
  for (std::size_t i = truth.blocks.size() / 2; i < truth.blocks.size(); ++i) {
    const WrittenBlock& block = truth.blocks[i];
    const auto is_other = [&](const WrittenBlock& other, bool later) {
      return other.cpu == block.cpu &&
             (later ? other.first > block.first : other.first < block.first);
    };
    const auto has = [&](bool later) {
      return std::any_of(truth.blocks.begin(), truth.blocks.end(),
                         [&](const WrittenBlock& other) { return is_other(other, later); });
    };
    if (has(true) && has(false)) return block.number;
  }
  throw std::logic_error("the trace is too short");
}

auto place(Bytes& file, std::size_t block) {
  return file.begin() + static_cast<std::ptrdiff_t>(block * KUTRACE_BLOCK_BYTES);
}

std::uint64_t word_of(const Bytes& file, std::size_t index) {
  std::uint64_t value = 0;
  std::memcpy(&value, file.data() + 8 * index, sizeof value);
  return value;
}

Bytes with_word(Bytes file, std::size_t index, std::uint64_t value) {
  std::memcpy(file.data() + 8 * index, &value, sizeof value);
  return file;
}

Bytes with_version(const Truth& truth, unsigned version) {
  Bytes file = truth.file;
  file[15] = static_cast<std::byte>(version);
  return file;
}

Bytes swapped(Bytes file, std::size_t a, std::size_t b) {
  const std::uint64_t first = word_of(file, a);
  file = with_word(file, a, word_of(file, b));
  return with_word(file, b, first);
}

Bytes dated(Bytes file, std::uint64_t seconds) {
  const std::uint64_t shift = seconds * 1'000'000 - kStartUsec;
  for (std::size_t at = 0; at < file.size() / 8; at += KUTRACE_BLOCK_WORDS) {
    const std::uint64_t word = word_of(file, at + 1);
    const std::uint64_t usec = (word + shift) & KUTRACE_LOW56_MASK;
    file = with_word(std::move(file), at + 1, (word & ~KUTRACE_LOW56_MASK) | usec);
  }
  for (const std::size_t at : {std::size_t{3}, std::size_t{5}})
    file = with_word(file, at, word_of(file, at) + shift);
  return file;
}

Bytes without_middle(const Truth& truth) {
  Bytes file = truth.file;
  file.erase(place(file, middle(truth)), place(file, middle(truth) + 1));
  return file;
}

Bytes zeroed_middle(const Truth& truth) {
  Bytes file = truth.file;
  std::fill(place(file, middle(truth)), place(file, middle(truth) + 1), std::byte{0});
  return file;
}

Bytes doubled_middle(const Truth& truth) {
  Bytes file = truth.file;
  const Bytes copy(place(file, middle(truth)), place(file, middle(truth) + 1));
  file.insert(file.end(), copy.begin(), copy.end());
  return file;
}

Bytes random_middle(const Truth& truth) {
  Bytes file = truth.file;
  std::mt19937_64 engine(3);
  std::generate(place(file, middle(truth)), place(file, middle(truth) + 1),
                [&engine] { return static_cast<std::byte>(engine()); });
  return file;
}

Bytes random_entries(const Truth& truth) {
  Bytes file = truth.file;
  std::mt19937_64 engine(4);
  std::generate(place(file, middle(truth)) + 8 * (KUTRACE_HEADER_WORDS + 2),
                place(file, middle(truth)) + 8 * 60,
                [&engine] { return static_cast<std::byte>(engine()); });
  return file;
}

Bytes with_cpu(const Truth& truth, unsigned cpu) {
  const std::size_t word = middle(truth) * KUTRACE_BLOCK_WORDS;
  const std::uint64_t value = word_of(truth.file, word) & KUTRACE_LOW56_MASK;
  return with_word(truth.file, word, value | std::uint64_t{cpu} << KUTRACE_TOP_BYTE_SHIFT);
}

Bytes with_hints(std::initializer_list<std::uint32_t> hints) {
  TraceBuilder b;
  Ticks time = 10;
  b.cpu(0, 0);
  for (const std::uint32_t hint : hints) {
    b.at(time, ev::kMWAIT, hint).at(time + 5000, 0x5ec).at(time + 5010, 0x7ec);
    time += 10'000;
  }
  return b.bytes(time);
}

Bytes with_names() {
  TraceBuilder b;
  std::uint32_t lock = 0;
  for (std::size_t length = 0; length <= KUTRACE_NAME_BYTES; ++length) {
    b.name(kind::kLOCK_NAME, lock++, std::string(length, 'x'));
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    b.name(kind::kLOCK_NAME, lock++, std::string("a") + static_cast<char>(byte) + "z");
  }
  b.name(kind::kPID_NAME, 7, "\"'\\</script><!--").name(kind::kHOST_NAME, 0, "\xff\xfe'\"");
  b.name(kind::kSYSCALL_NAME, 0, "\xf0\x9f\x90\xa7").name(kind::kCPU_MODEL, 0, "a\nb\x1b[31m");
  b.cpu(0, 7).folded(10, 0x800, 1, 5, 0);
  return b.bytes(100);
}

struct Corruption {
  std::string name;
  std::function<Bytes()> make;
  int exit_code;
  std::vector<std::string> says;  // on stderr if refused, else on stdout
};

std::vector<Corruption> corruptions() {
  const Truth& ours = own();
  const Truth& theirs = upstream();
  const std::size_t block = middle(ours) * KUTRACE_BLOCK_BYTES;
  return {
      {"an empty file", [] { return Bytes(); }, kRefused, {"the file is empty"}},
      {"10 bytes", [] { return Bytes(10, std::byte{1}); }, kRefused, {"10 bytes are less than"}},
      {"a file of zeros",
       [] { return Bytes(200'000); },
       kRefused,
       {"byte 15 (block 0)", "trace version 0"}},
      {"text", [] { return text_bytes("a line of text\n", 100'000); }, kRefused, {"is text"}},
      {"random bytes",
       [] {
         std::mt19937_64 engine(5);
         Bytes bytes(200'000);
         for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine());
         bytes[15] = std::byte{3};
         return bytes;
       },
       kRefused,
       {"byte 0 (block 0)", "blocks contradict each other"}},
      {"cut in the first header", [&] { return cut_at(ours, 40); }, kRefused, {"40 bytes"}},
      {"cut in block 0",
       [&] { return cut_at(ours, 3000); },
       kPartial,
       {"file_cut", "recording_not_complete"}},
      {"cut at a block's end",
       [&ours, block] { return cut_at(ours, block); },
       kPartial,
       {"recording_not_complete", "loss: CPU"}},
      {"cut in a block's header",
       [&ours, block] { return cut_at(ours, block + 20); },
       kPartial,
       {"block_cut_in_header", "loss: CPU"}},
      {"cut in a block",
       [&ours, block] { return cut_at(ours, block + 400); },
       kPartial,
       {"file_cut", "loss: CPU"}},
      {"cut in a word",
       [&ours, block] { return cut_at(ours, block + 403); },
       kPartial,
       {"file_cut", "loss: CPU"}},
      {"cut, of upstream",
       [&] { return cut_at(theirs, theirs.file.size() - 9); },
       kPartial,
       {"file_cut"}},
      {"a block lost",
       [&] { return without_middle(ours); },
       kPartial,
       {"recording_not_complete", "damaged or missing block"}},
      {"a block of zeros",
       [&] { return zeroed_middle(ours); },
       kPartial,
       {"block_time_outside", "damaged or missing block"}},
      {"a block of zeros, of upstream",
       [&] { return zeroed_middle(theirs); },
       kPartial,
       {"block_time_outside", "recording_not_complete", "loss: CPU"}},
      {"a block twice", [&] { return doubled_middle(ours); }, kPartial, {"duplicate_block 1"}},
      {"a block twice, of upstream",
       [&] { return doubled_middle(theirs); },
       kPartial,
       {"duplicate_block 1"}},
      {"a block of random bytes",
       [&] { return random_middle(ours); },
       kPartial,
       {"damage: ", "damaged or missing block"}},
      {"a block of random bytes, of upstream",
       [&] { return random_middle(theirs); },
       kPartial,
       {"damage: "}},
      {"random entries", [&] { return random_entries(ours); }, kPartial, {"repair: "}},
      {"a wrong CPU number",
       [&] { return with_cpu(ours, 5); },
       kPartial,
       {"block_cpu_contradicted", "damaged or missing block"}},
      {"a wrong CPU number, of upstream",
       [&] { return with_cpu(theirs, 200); },
       kPartial,
       {"repair: "}},
      {"version 0",
       [&] { return with_version(ours, 0); },
       kRefused,
       {"byte 15 (block 0)", "trace version 0"}},
      {"a version to come",
       [&] { return with_version(ours, 4); },
       kRefused,
       {"byte 15 (block 0)", "trace version 4"}},
      {"an older version than it is",
       [&] { return with_version(ours, 2); },
       kPartial,
       {"version_contradicted"}},
      {"an older version than it is, of upstream",
       [&] { return with_version(theirs, 2); },
       kPartial,
       {"version_contradicted"}},
      {"reversed counters",
       [&] { return swapped(ours.file, 2, 4); },
       kPartial,
       {"clock_pair_distrusted"}},
      {"reversed wall clocks",
       [&] { return swapped(theirs.file, 3, 5); },
       kPartial,
       {"clock_pair_distrusted"}},
      {"reversed clock pairs",
       [&] { return swapped(swapped(theirs.file, 2, 4), 3, 5); },
       kPartial,
       {"clock_pair_distrusted"}},
      {"a date of 1970", [] { return dated(with_names(), 0); }, kWhole, {"every CPU adds up"}},
      {"a date of 2106",
       [] { return dated(with_names(), std::uint64_t{1} << 32); },
       kWhole,
       {"every CPU adds up"}},
      {"names of every length and byte",
       [] { return with_names(); },
       kWhole,
       {"every CPU adds up"}},
      {"oversized hints",
       [] { return with_hints({0xffffffff, 0x1ff, 0xffff, 0x80000000, 0x100}); },
       kWhole,
       {"every CPU adds up"}},
  };
}

// ---- the program ------------------------------------------------------------------------------

void check_outcome(const Corruption& corruption, const std::string& path, const Outcome& outcome) {
  CAPTURE(corruption.name, outcome.out, outcome.err);
  CHECK(outcome.status == corruption.exit_code);
  const bool refused = corruption.exit_code == kRefused;
  for (const std::string& text : corruption.says) {
    CHECK_THAT(refused ? outcome.err : outcome.out, Catch::Contains(text));
  }
  if (refused) {
    CHECK_THAT(outcome.err, Catch::Contains(path) && Catch::Contains("hint: "));
  } else {
    CHECK_THAT(outcome.out, Catch::Contains("every CPU adds up"));
  }
}

TEST_CASE("each corruption has the outcome that is promised") {
  const Folder folder;
  for (const Corruption& corruption : corruptions()) {
    const std::string path = folder.store(corruption.make());
    check_outcome(corruption, path, folder.run("check --strict " + path));
  }
}

TEST_CASE("the files that are corrupted are whole before") {
  const Folder folder;
  for (const Truth* truth : {&own(), &upstream()}) {
    const Outcome outcome = folder.run("check " + folder.store(truth->file));
    CHECK(outcome.status == kWhole);
    CHECK_THAT(outcome.out, !Catch::Contains("damage:") && !Catch::Contains("loss:"));
  }
}

TEST_CASE("a file of spans is refused where a raw trace is needed") {
  const Folder folder;
  const std::string path = folder.store(
      text_bytes(R"({"Comment" : "V2", "events" : [[999.0, 0, 0, 0, 0, 0, 0, 0, 0, ""]]})", 64));
  for (const char* command : {"hexdump ", "dump --stage raw "}) {
    const Outcome outcome = folder.run(command + path);
    CAPTURE(command, outcome.err);
    CHECK(outcome.status == kRefused);
    CHECK_THAT(outcome.err, Catch::Contains(path) && Catch::Contains("hint: "));
  }
}

TEST_CASE("what comes before the first loss is as true as ever") {
  for (const Corruption& corruption : corruptions()) {
    if (corruption.exit_code != kPartial || corruption.name.find("random") != std::string::npos ||
        corruption.name.find("reversed") != std::string::npos ||
        corruption.name.find("upstream") != std::string::npos) {
      continue;
    }
    Observed seen;
    observe(corruption.make(), seen);
    CAPTURE(corruption.name);
    REQUIRE(seen.usable);
    // Threads go from CPU to CPU, so what one CPU lost another may not know.
    Ns lost = seen.info.end;
    for (const LossRecord& loss : seen.info.losses) lost = std::min(lost, loss.begin);
    const auto before_loss = [&](std::vector<TrueSpan> spans) {
      std::erase_if(spans, [&](const TrueSpan& span) { return span.end >= lost; });
      return spans;
    };
    std::vector<TrueSpan> truth = own().spans;
    const auto timeline = timelines(seen.spans);
    const auto is_known = [&](const TrueSpan& span) {
      return std::any_of(timeline.begin(), timeline.end(),
                         [&](const TrueSpan& other) { return other.cpu == span.cpu; });
    };
    // Nothing in the file says that a CPU exists all of whose blocks are gone.
    std::erase_if(truth, [&](const TrueSpan& span) { return !is_known(span); });
    CHECK(first_difference(before_loss(truth), before_loss(timeline)) == "");
  }
}

TEST_CASE("names survive the way to span JSON and back as they are shown") {
  const Folder folder;
  const std::string path = folder.store(with_names());
  REQUIRE(folder.run("spans " + path + " -o " + folder.file("x.json")).status == 0);
  CHECK(folder.run("check " + folder.file("x.json")).status == 0);
  const std::string raw = folder.run("dump --stage spans " + path).out;
  const std::string json = folder.run("dump --stage spans " + folder.file("x.json")).out;
  for (const char* name : {"\xf0\x9f\x90\xa7", "</script><!--"}) {
    CHECK_THAT(raw, Catch::Contains(name));
    CHECK_THAT(json, Catch::Contains(name));
  }
  REQUIRE(folder.run("report " + path + " -o " + folder.file("x.html")).status == 0);
  CHECK_THAT(read_file(folder.file("x.html")), !Catch::Contains("</script><!--"));
}

TEST_CASE("doc/robustness.md lists each corruption with its outcome") {
  const std::string text = read_file(KUTRACE_ROBUSTNESS);
  REQUIRE_FALSE(text.empty());
  for (const Corruption& corruption : corruptions()) {
    const std::string row =
        "| " + corruption.name + " | " + std::to_string(corruption.exit_code) + " | ";
    CAPTURE(row);
    CHECK_THAT(text, Catch::Contains(row));
  }
}

}  // namespace
}  // namespace kutrace::test
