// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a page that wait in memory and in a file.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "emit/page/kept_blocks.h"
#include "support/memory_spill.h"

namespace kutrace {
namespace {

std::vector<std::string> all_of(const emit::KeptBlocks& blocks) {
  std::vector<std::string> all;
  REQUIRE(blocks.each([&](std::size_t number, std::string_view block) {
    CHECK(number == all.size());
    all.emplace_back(block);
  }));
  return all;
}

// A disk without room.
class FullSpill : public Spill {
 public:
  Status append(std::span<const std::byte>) override { return fail(output_error("no room")); }
  Status read(std::uint64_t, std::span<std::byte>) override { return {}; }
};

TEST_CASE("blocks come back in their order, wherever they were kept") {
  const std::vector<std::string> expected{"one", "", "three", std::string(1000, 'x'), "5", "six"};
  MemorySpill spill;
  for (const std::size_t most : {0U, 3U, 8U, 20U, 10'000U}) {
    emit::KeptBlocks blocks(&spill, most);
    CAPTURE(most);
    spill = MemorySpill();
    for (const std::string& block : expected) REQUIRE(blocks.add(block));
    CHECK(all_of(blocks) == expected);
    CHECK((spill.size() == 0) == (most == 10'000));
  }
  emit::KeptBlocks in_memory(nullptr, 3);
  for (const std::string& block : expected) REQUIRE(in_memory.add(block));
  CHECK(all_of(in_memory) == expected);
}

TEST_CASE("a block for which the disk has no room is an error") {
  FullSpill full;
  emit::KeptBlocks blocks(&full, 4);
  CHECK(blocks.add("1234"));
  const Status status = blocks.add("5");
  REQUIRE(!status);
  CHECK(status.error().sentence == "no room");
}

}  // namespace
}  // namespace kutrace
