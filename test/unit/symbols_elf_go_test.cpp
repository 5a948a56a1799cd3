// SPDX-License-Identifier: BSD-3-Clause
// Small ELF files, with sections or notes as Go's linker and others make them.
#include <elf.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "support/temporary_file.h"
#include "symbols/elf_functions.h"

namespace kutrace {
namespace {

using test::TemporaryFile;

template <typename T>
std::string bytes_of(const T& value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof value>>(value);
  return {bytes.data(), bytes.size()};
}

Elf64_Ehdr empty_file() {
  Elf64_Ehdr header{};
  header.e_ident[EI_MAG0] = ELFMAG0;
  header.e_ident[EI_MAG1] = ELFMAG1;
  header.e_ident[EI_MAG2] = ELFMAG2;
  header.e_ident[EI_MAG3] = ELFMAG3;
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  return header;
}

// A file with a section of this name, and one that holds the name.
std::string with_section(const std::string& name) {
  const std::string names = '\0' + name + '\0';
  Elf64_Ehdr header = empty_file();
  header.e_shoff = sizeof header;
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Shdr named{};
  named.sh_name = 1;
  named.sh_type = SHT_PROGBITS;
  Elf64_Shdr strings{};
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = header.e_shoff + header.e_shnum * sizeof strings;
  strings.sh_size = names.size();
  return bytes_of(header) + bytes_of(Elf64_Shdr{}) + bytes_of(named) + bytes_of(strings) + names;
}

// A file without sections, of one note.
std::string with_note(std::string_view owner, std::uint32_t bytes_told) {
  const Elf64_Nhdr note{bytes_told, 4, 4};
  std::string text = bytes_of(note) + std::string(owner);
  text.resize((text.size() + 3) / 4 * 4);
  text += "id-1";
  Elf64_Ehdr header = empty_file();
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = header.e_phoff + sizeof segment;
  segment.p_filesz = text.size();
  segment.p_align = 4;
  return bytes_of(header) + bytes_of(segment) + text;
}

bool has_go_code(const std::string& bytes) {
  const TemporaryFile file(bytes);
  const auto functions = symbols::elf_functions(file.path());
  REQUIRE(functions);
  CHECK(functions->all.empty());
  return functions->has_go_code;
}

// Without libdw no file can be read.
bool can_read() { return symbols::elf_functions("/proc/self/exe").has_value(); }

}  // namespace

TEST_CASE("code of Go is told by the sections of its linker") {
  if (!can_read()) return;
  CHECK(has_go_code(with_section(".go.buildinfo")));
  CHECK(has_go_code(with_section(".note.go.buildid")));
  CHECK(has_go_code(with_section(".gopclntab")));
  CHECK(has_go_code(with_section(".data.rel.ro.gopclntab")));
  CHECK_FALSE(has_go_code(with_section(".got")));
  CHECK_FALSE(has_go_code(with_section(".note.gnu.build-id")));
  CHECK_FALSE(symbols::elf_functions("/proc/self/exe")->has_go_code);
}

TEST_CASE("code of Go in a file without sections is told by its note") {
  if (!can_read()) return;
  CHECK(has_go_code(with_note({"Go\0", 3}, 3)));
  CHECK_FALSE(has_go_code(with_note({"GNU\0", 4}, 4)));
  CHECK_FALSE(has_go_code(with_note({"Go\0", 3}, 0)));
  CHECK_FALSE(has_go_code(with_note({"Go\0", 3}, 1000)));  // more than there is
}

}  // namespace kutrace
