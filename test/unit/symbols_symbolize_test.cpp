// SPDX-License-Identifier: BSD-3-Clause
// Functions of this very program named by its symbols; one of them has no size, as hand-written
// assembly often has none.
#include <link.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "symbols/symbolize.h"

asm(".pushsection .text\n"
    ".globl kutrace_test_unsized\n"
    ".type kutrace_test_unsized, %function\n"
    "kutrace_test_unsized: .skip 256, 0\n"
    ".globl kutrace_test_sized\n"
    ".type kutrace_test_sized, %function\n"
    "kutrace_test_sized: .skip 256, 0\n"
    ".size kutrace_test_sized, 256\n"
    ".popsection\n");
extern "C" const char kutrace_test_unsized[];

namespace kutrace {
namespace {

// This program's code, as its map would have been recorded.
symbols::SampledMap own_code() {
  symbols::SampledMap sampled;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*bytes*/, void* map) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
          auto& own = *static_cast<MapRecord*>(map);
          own.start = info->dlpi_addr + header.p_vaddr;
          own.end = own.start + header.p_memsz;
          own.offset = header.p_offset;
        }
        return 1;  // the first one is the program
      },
      &sampled.map);
  sampled.map.process = 100;
  sampled.map.path = "/proc/self/exe";
  return sampled;
}

}  // namespace

TEST_CASE("every sample in a function without a size has its name") {
  symbols::SampledMap sampled = own_code();
  const auto begin = reinterpret_cast<std::uint64_t>(kutrace_test_unsized);
  for (const unsigned at : {0x10u, 0x20u, 0x30u, 0x110u, 0x120u}) sampled.counters[begin + at] = 1;
  symbols::SymbolizeOptions options;
  options.unidentified = true;
  const symbols::Symbolized named = symbols::symbolize({sampled}, options);
  REQUIRE(named.files.size() == 1);
  if (named.files[0].refused.contains("without libdw")) return;
  CHECK(named.files[0].refused.empty());
  CHECK(named.files[0].named == 5);
  const auto name_of = [&](std::uint64_t counter) {
    std::string name;
    for (const SymbolRecord& record : named.symbols)
      if (counter >= record.start && counter < record.end) name = record.name;
    return name;
  };
  for (const unsigned at : {0x10u, 0x20u, 0x30u})
    CHECK(name_of(begin + at) == "kutrace_test_unsized");
  CHECK(name_of(begin + 0x110) == "kutrace_test_sized");
  CHECK(name_of(begin + 0x120) == "kutrace_test_sized");
}

}  // namespace kutrace
