// SPDX-License-Identifier: BSD-3-Clause
// What names code: the texts of maps and symbols, of the kernel's tables, build-ids, ranges.
#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "base/range_map.h"
#include "format/build_id.h"
#include "format/kallsyms.h"
#include "format/perf_map.h"
#include "format/proc_maps.h"
#include "format/symbol_text.h"
#include "kutrace/abi.h"

namespace kutrace {

TEST_CASE("a range covers what was set before it, and leaves the rest") {
  RangeMap<int> map;
  map.set(10, 20, 1);
  map.set(14, 16, 2);
  map.set(18, 30, 3);
  map.set(5, 5, 4);
  const auto at = [&](std::uint64_t address) {
    const int* value = map.find(address);
    return value != nullptr ? *value : 0;
  };
  CHECK(at(9) == 0);
  CHECK(at(10) == 1);
  CHECK(at(13) == 1);
  CHECK(at(14) == 2);
  CHECK(at(15) == 2);
  CHECK(at(16) == 1);
  CHECK(at(18) == 3);
  CHECK(at(29) == 3);
  CHECK(at(30) == 0);
  map.set(0, std::numeric_limits<std::uint64_t>::max(), 5);
  CHECK(map.ranges().size() == 1);
  CHECK(at(15) == 5);
}

TEST_CASE("maps and symbols are the same after they were text") {
  const MapRecord map{41, 0x123, 0x7f0000001000, 0x7f0000002000, 0x1000, "abcd01", "/usr/a b.so"};
  CHECK(parse_map_record(record_text(map)) == map);
  const MapRecord gone{41, 7, 0, std::numeric_limits<std::uint64_t>::max(), 0, "", ""};
  CHECK(parse_map_record(record_text(gone)) == gone);
  const SymbolRecord symbol{0, 0, 0xffffffff81000000, 0xffffffff81000040, "do [mod] it"};
  CHECK(parse_symbol_record(record_text(symbol)) == symbol);
  const StackRecord stack{7, 0x20, {0x401000, 0x400fff, 0xffffffff81000010}};
  CHECK(parse_stack_record(record_text(stack)) == stack);
  const StackRecord deepest{1, 0, std::vector<std::uint64_t>(KUTRACE_STACK_FRAMES, 0x1000)};
  CHECK(parse_stack_record(record_text(deepest)) == deepest);
}

TEST_CASE("texts that are no records are refused") {
  CHECK(!parse_map_record(""));
  CHECK(!parse_map_record("1 2 3"));
  CHECK(!parse_map_record("1 0 2000 1000 0 - /a"));
  CHECK(!parse_map_record("x 0 1000 2000 0 - /a"));
  CHECK(!parse_symbol_record("0 0 10 20 "));
  CHECK(!parse_symbol_record("0 0 20 20 name"));
  CHECK(!parse_symbol_record("0 0 10zz 20 name"));
  CHECK(!parse_stack_record("1 0"));
  CHECK(!parse_stack_record("1 0 "));
  CHECK(!parse_stack_record("1 0 40x 41"));
  StackRecord endless{1, 0, std::vector<std::uint64_t>(KUTRACE_STACK_FRAMES + 1, 0x1000)};
  CHECK(!parse_stack_record(record_text(endless)));
}

TEST_CASE("executable mappings are taken from /proc/PID/maps") {
  std::vector<ProcMapping> found;
  parse_proc_maps(
      "55e0c0000000-55e0c0001000 r--p 00000000 08:01 77 /usr/bin/two words\n"
      "55e0c0001000-55e0c0005000 r-xp 00001000 08:01 77 /usr/bin/two words\n"
      "7f0000000000-7f0000001000 r-xp 00002000 00:1f 9  /tmp/gone.so (deleted)\n"
      "7f1000000000-7f1000001000 rwxp 00000000 00:00 0\n"
      "7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0 [vdso]\n"
      "nonsense\n",
      [&](ProcMapping mapping) { found.push_back(std::move(mapping)); });
  REQUIRE(found.size() == 4);
  CHECK(found[0].start == 0x55e0c0001000);
  CHECK(found[0].offset == 0x1000);
  CHECK(found[0].inode == 77);
  CHECK(found[0].device == (std::uint64_t{8} << 32 | 1));
  CHECK(found[0].path == "/usr/bin/two words");
  CHECK(found[1].path == "/tmp/gone.so");
  CHECK(found[1].deleted);
  CHECK(found[2].path.empty());
  CHECK(found[3].path == "[vdso]");
}

TEST_CASE("maps of several processes are told apart by their head lines") {
  std::vector<std::pair<Pid, std::string>> found;
  parse_proc_maps_of_all(
      "1000-2000 r-xp 0 08:01 1 /nobody\n==== /proc/12/maps\n1000-2000 r-xp 0 08:01 1 /a\n"
      "==== /proc/self/maps\n1000-2000 r-xp 0 08:01 1 /b\n==== /proc/13/maps\n"
      "1000-2000 r-xp 0 08:01 1 /c",
      [&](Pid process, const ProcMapping& mapping) { found.emplace_back(process, mapping.path); });
  CHECK(found == std::vector<std::pair<Pid, std::string>>{{12, "/a"}, {13, "/c"}});
}

TEST_CASE("a kernel's address is that of the function that reaches there") {
  const Kallsyms symbols(
      "ffffffff81000100 W alias\nffffffff81000100 T first\nffffffff81000100 t other\n"
      "ffffffff81000180 t second\nffffffff81000200 D data\nffffffffc0000000 t inner\t[mod]\n");
  REQUIRE(symbols.find(0xffffffff81000140));
  CHECK(symbols.find(0xffffffff81000140)->name == "first");
  CHECK(symbols.find(0xffffffff81000140)->end == 0xffffffff81000180);
  CHECK(symbols.find(0xffffffff81000180)->name == "second");
  CHECK(symbols.find(0xffffffffc0000010)->name == "inner [mod]");
  CHECK(!symbols.find(0xffffffff81000000));
  CHECK(!symbols.find(0xffffffff81000210));
  CHECK(!symbols.find(0xffffffffd0000000));
  CHECK(Kallsyms("0000000000000000 T hidden\n").empty());
}

// An ELF file of 64 bits with one note segment.
std::vector<std::byte> elf_with_note() {
  std::vector<std::byte> file(64 + 56 + 12 + 4 + 4);
  const auto put = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) file[at + i] = static_cast<std::byte>(value >> 8 * i);
  };
  put(0, 0x464c457f, 4);
  put(4, 2, 1);         // 64 bits
  put(5, 1, 1);         // little-endian
  put(32, 64, 8);       // program headers
  put(54, 56, 2);       // bytes each
  put(56, 1, 2);        // how many
  put(64, 4, 4);        // PT_NOTE
  put(64 + 8, 120, 8);  // offset
  put(64 + 32, 20, 8);  // bytes
  put(120, 4, 4);
  put(124, 4, 4);
  put(128, 3, 4);  // NT_GNU_BUILD_ID
  put(132, 0x554e47, 4);
  put(136, 0x0403'0201, 4);
  return file;
}

TEST_CASE("a build-id is read, and a file that is cut anywhere has none") {
  const std::vector<std::byte> file = elf_with_note();
  CHECK(build_id_of(file) == "01020304");
  for (std::size_t size = 0; size < file.size(); ++size)
    CHECK(build_id_of(std::span(file).first(size)).empty());
}

TEST_CASE(
    "a perf map names code, the later line where two overlap, and lines that are none do not "
    "count") {
  const PerfMap map(
      "1000 100 first one\n0x1080 40 second\nno line\n2000 0 nothing\n2000 10\n"
      "ffffffffffffffff 10 beyond\n3000 20 last");
  const auto name = [&](std::uint64_t pc) {
    const auto found = map.find(pc);
    return found ? found->name : std::string();
  };
  CHECK(name(0xfff).empty());
  CHECK(name(0x1000) == "first one");
  CHECK(name(0x107f) == "first one");
  CHECK(name(0x1080) == "second");
  CHECK(map.find(0x1081)->end == 0x10c0);
  CHECK(name(0x10c0) == "first one");
  CHECK(name(0x1100).empty());
  CHECK(name(0x2000).empty());
  CHECK(name(0x301f) == "last");
  CHECK(PerfMap("").empty());
}

}  // namespace kutrace
