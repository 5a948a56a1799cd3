// SPDX-License-Identifier: BSD-3-Clause
// Block headers of every version and with trailers.
#include <catch2/catch.hpp>
#include <cstring>

#include "format/event_table.h"
#include "format/raw_file.h"
#include "kutrace/abi.h"
#include "support/kernel_writer.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

Result<RawFile> open(std::vector<std::byte> bytes) {
  return RawFile::open(MappedFile::from_bytes(std::move(bytes), "test"));
}

std::vector<std::byte> two_cpus() {
  TraceBuilder b;
  b.cpu(0, 70000, "server").at(10, 0x800);
  b.cpu(300, 12, "exactly_16_bytes").at(20, 0x800);
  return b.bytes(100);
}

TEST_CASE("headers give CPU, thread, name and time") {
  const auto file = open(two_cpus());
  REQUIRE(file);
  REQUIRE(file->blocks().size() == 3);
  const Block& first = file->blocks()[1];
  CHECK(first.cpu == 0);
  CHECK(first.pid == 70000);
  CHECK(first.comm() == "server");
  CHECK(first.base == kStart + 10);
  CHECK(first.word_count == KUTRACE_BLOCK_WORDS);
  CHECK(first.header_words == KUTRACE_HEADER_WORDS);
  const Block& second = file->blocks()[2];
  CHECK(second.cpu == 300);
  CHECK(second.comm() == "exactly_16_bytes");
  CHECK(file->start().counter == kStart);
  CHECK(file->stop().counter == kStart + 100);
  CHECK(file->start().usec == kStartUsec);
  CHECK(file->version() == 3);
  CHECK_FALSE(file->cut());
}

TEST_CASE("blocks of traces before version 3 have no thread words") {
  RawStyle style;
  style.own = false;
  style.version = 2;
  KernelWriter writer(style, 4, 1);
  for (Ticks time = 100; time < 3000; time += 100) writer.put(0, time, ev::kMARK_D, 1, 70000);
  const auto file = open(writer.finish(12'500, false));
  REQUIRE(file);
  CHECK(file->counters().named(Severity::kDamage).empty());
  CHECK(file->blocks()[0].header_words == 8);
  CHECK(file->blocks()[1].header_words == 2);
  CHECK(file->blocks()[1].comm() == "");
  CHECK(file->blocks()[1].pid == 0);
}

TEST_CASE("what most headers hold counts more than the version that the file says") {
  for (const unsigned version : {1u, 2u}) {
    auto bytes = two_cpus();
    bytes[15] = static_cast<std::byte>(version);
    const auto file = open(std::move(bytes));
    REQUIRE(file);
    CHECK(file->version() == 3);
    CHECK(file->blocks()[1].pid == 70000);
    CHECK(file->counters().named(Severity::kDamage).at("version_contradicted") == 1);
  }
}

TEST_CASE("traces with IPC bytes have a trailer behind every block") {
  auto bytes = two_cpus();
  std::vector<std::byte> with_trailers;
  for (std::size_t at = 0; at < bytes.size(); at += KUTRACE_BLOCK_BYTES) {
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    with_trailers.insert(with_trailers.end(), from, from + KUTRACE_BLOCK_BYTES);
    with_trailers.insert(with_trailers.end(), KUTRACE_TRAILER_BYTES,
                         static_cast<std::byte>(at / KUTRACE_BLOCK_BYTES + 1));
  }
  for (const unsigned flag : {KUTRACE_FLAG_IPC, KUTRACE_FLAG_LLC}) {
    with_trailers[15] = static_cast<std::byte>(flag | KUTRACE_FORMAT_VERSION);
    const auto file = open(with_trailers);
    REQUIRE(file);
    REQUIRE(file->blocks().size() == 3);
    CHECK(file->blocks()[2].cpu == 300);
    REQUIRE(file->blocks()[2].trailer != nullptr);
    CHECK(file->blocks()[2].trailer[100] == std::byte{3});
  }
}

TEST_CASE("the wrap flag counts in block 0 alone") {
  auto bytes = two_cpus();
  bytes[KUTRACE_BLOCK_BYTES + 15] = static_cast<std::byte>(KUTRACE_FLAG_WRAP);
  CHECK_FALSE(open(bytes)->wrapped());
  bytes[15] = static_cast<std::byte>(KUTRACE_FLAG_WRAP | KUTRACE_FORMAT_VERSION);
  CHECK(open(bytes)->wrapped());
}

TEST_CASE("a block that the end of the file cuts is read as far as it goes") {
  auto bytes = two_cpus();
  bytes.resize(2 * KUTRACE_BLOCK_BYTES + 8 * 10 + 3);
  const auto file = open(bytes);
  REQUIRE(file);
  CHECK(file->cut());
  CHECK(file->blocks()[2].word_count == 10);
  CHECK(file->counters().named(Severity::kDamage).at("file_cut") == 1);
}

TEST_CASE("a block cut inside its header is counted, not used") {
  auto bytes = two_cpus();
  bytes.resize(2 * KUTRACE_BLOCK_BYTES + 8 * 5);
  const auto file = open(bytes);
  REQUIRE(file);
  CHECK(file->blocks().size() == 2);
  CHECK(file->counters().named(Severity::kDamage).at("block_cut_in_header") == 1);
}

}  // namespace
}  // namespace kutrace::test
