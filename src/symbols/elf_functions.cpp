// SPDX-License-Identifier: BSD-3-Clause
// Asks libelf.
#include "symbols/elf_functions.h"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/mapped_file.h"
#include "base/text.h"
#include "symbols/elf_go.h"

namespace kutrace::symbols {

namespace {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};

// Where in the file the code at this address is.
std::optional<std::uint64_t> offset_of(Elf* elf, std::uint64_t address) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) continue;
    const bool is_code = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
    if (!is_code || address - segment.p_vaddr >= segment.p_filesz) continue;
    return address - segment.p_vaddr + segment.p_offset;
  }
  return std::nullopt;
}

// What compilers call where exceptions are thrown, or pass.
bool is_for_exceptions(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find('@'));
  return symbol == "__cxa_throw" || symbol == "__cxa_rethrow" || symbol == "_Unwind_Resume" ||
         symbol == "__gxx_personality_v0";
}

void take_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ElfFunctions& functions) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) break;
    const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (symbol.st_shndx == SHN_UNDEF && name != nullptr)
      functions.throws = functions.throws || is_for_exceptions(name);
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    const auto offset = offset_of(elf, symbol.st_value);
    if (name == nullptr || *name == '\0' || !offset) continue;
    const std::string text = name;
    functions.all.push_back({*offset, text.substr(0, text.find('@'))});
  }
}

}  // namespace

Result<ElfFunctions> elf_functions(const std::string& path) {
  KUTRACE_ASSIGN(const MappedFile file, MappedFile::open(path));
  elf_version(EV_CURRENT);
  // It writes to none of it: nothing is asked of it but to read.
  auto* const bytes = const_cast<char*>(reinterpret_cast<const char*>(file.bytes().data()));
  const std::unique_ptr<Elf, EndElf> elf(elf_memory(bytes, file.bytes().size()));
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF)
    return fail(input_error(printable(path) + " is not a program or library (ELF)"));
  ElfFunctions functions;
  functions.has_go_code = has_go_code(elf.get());
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
      take_symbols(elf.get(), section, header, functions);
  }
  const auto key = [](const ElfFunction& function) {
    return std::tie(function.offset, function.symbol);
  };
  std::ranges::sort(functions.all, {}, key);
  const auto same = std::ranges::unique(functions.all, {}, key);
  functions.all.erase(same.begin(), same.end());
  return functions;
}

}  // namespace kutrace::symbols
