// SPDX-License-Identifier: BSD-3-Clause
// By the sections that Go's linker makes, which a C program with a Go part has, too; of a file
// without sections, by the note that holds Go's build id.
#include "symbols/elf_go.h"

#include <gelf.h>

#include <cstddef>
#include <string_view>

namespace kutrace::symbols {

namespace {

bool is_of_go(std::string_view section) {
  return section == ".go.buildinfo" || section == ".note.go.buildid" ||
         section.ends_with(".gopclntab");  // behind .data.rel.ro in a position-independent program
}

bool has_go_section(Elf* elf) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name != nullptr && is_of_go(name)) return true;
  }
  return false;
}

bool has_go_note(Elf_Data* notes) {
  GElf_Nhdr note;
  std::size_t name = 0;
  std::size_t text = 0;
  for (std::size_t at = 0; (at = gelf_getnote(notes, at, &note, &name, &text)) != 0;) {
    const char* const owner = static_cast<const char*>(notes->d_buf) + name;
    if (std::string_view(owner, note.n_namesz) == std::string_view("Go\0", 3)) return true;
  }
  return false;
}

bool has_go_note(Elf* elf) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) continue;
    if (segment.p_type != PT_NOTE) continue;
    Elf_Data* const notes = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.p_offset),
                                                 segment.p_filesz, ELF_T_NHDR);
    if (notes != nullptr && has_go_note(notes)) return true;
  }
  return false;
}

}  // namespace

bool has_go_code(Elf* elf) { return has_go_section(elf) || has_go_note(elf); }

}  // namespace kutrace::symbols
