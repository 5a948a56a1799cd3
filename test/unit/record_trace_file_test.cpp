// SPDX-License-Identifier: BSD-3-Clause
// A trace file of a recording that counts: every block has a trailer, and readers find it.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "files/descriptor.h"
#include "format/block_writer.h"
#include "format/raw_file.h"
#include "record/blocks/trace_file.h"

using namespace kutrace;

namespace {

constexpr unsigned kBothCounters = KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC;
constexpr Ticks kBase = 1'000'000;
constexpr std::uint64_t kUsec = 1'700'000'000'000'000;
constexpr std::uint8_t kCounted = 0x5a;

// A file of one block of names and one of a CPU.
std::string written(unsigned counters, const std::uint8_t* trailer) {
  const std::string path = "/tmp/kutrace-trace-file-" + std::to_string(getpid());
  BlockHeader header;
  header.start = {kBase, kUsec};
  const BlockWriter first(header, {header.start, {kBase + 1000, kUsec + 16}, counters});
  std::vector<std::uint64_t> words(KUTRACE_BLOCK_WORDS);
  words[0] = kBase;
  auto file = record::TraceFile::create(path);
  REQUIRE(file);
  file->set_counters(counters);
  REQUIRE(file->write_block(0, first.words()));
  REQUIRE(file->write_block(1, {0, 0, KUTRACE_HEADER_WORDS, words.data(), trailer}, kUsec));
  REQUIRE(file->keep());
  return path;
}

RawFile read(const std::string& path) {
  auto mapped = MappedFile::open(path);
  unlink(path.c_str());
  auto raw = RawFile::open(std::move(*mapped));
  REQUIRE(raw);
  return std::move(*raw);
}

}  // namespace

TEST_CASE("a recording that counts has a trailer behind every block") {
  std::vector<std::uint8_t> trailer(KUTRACE_TRAILER_BYTES);
  trailer[KUTRACE_HEADER_WORDS] = kCounted;
  const RawFile raw = read(written(kBothCounters, trailer.data()));
  CHECK(raw.size() == 2 * (KUTRACE_BLOCK_BYTES + KUTRACE_TRAILER_BYTES));
  REQUIRE(raw.blocks().size() == 2);
  CHECK((raw.flags() & kBothCounters) == kBothCounters);
  CHECK((raw.blocks()[1].flags & kBothCounters) == kBothCounters);
  CHECK(raw.blocks()[1].usec == kUsec);
  REQUIRE(raw.blocks()[1].trailer != nullptr);
  CHECK(raw.blocks()[1].trailer[KUTRACE_HEADER_WORDS] == std::byte{kCounted});
}

TEST_CASE("a terminal gets no trace, by whichever name") {
  const files::Descriptor master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(master);
  REQUIRE(unlockpt(master.get()) == 0);
  const files::Descriptor terminal(open(ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(terminal);
  for (const std::string& path :
       {std::string(ptsname(master.get())), "/dev/fd/" + std::to_string(terminal.get())}) {
    const auto refused = record::TraceFile::create(path);
    CAPTURE(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::kUsage);
  }
}

TEST_CASE("a recording that does not count has none") {
  const RawFile raw = read(written(0, nullptr));
  CHECK(raw.size() == 2 * KUTRACE_BLOCK_BYTES);
  REQUIRE(raw.blocks().size() == 2);
  CHECK(raw.blocks()[1].trailer == nullptr);
}
