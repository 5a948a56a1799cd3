// SPDX-License-Identifier: BSD-3-Clause
// Asks libdw, which finds the debug file of a stripped one by its build-id or link.
#include "symbols/elf_symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/demangled.h"
#include "base/inputs.h"
#include "base/memory_file.h"
#include "base/text.h"

namespace kutrace::symbols {

namespace {

struct Segment {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
};

struct EndSession {
  void operator()(Dwfl* session) const { dwfl_end(session); }
};

const Dwfl_Callbacks kCallbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                   dwfl_offline_section_address, nullptr};

std::string shown_name(const char* name) {
  const std::string text = demangled(name);
  return text.substr(0, text.find('@'));  // without a version
}

std::vector<Segment> segments_of(Elf* elf) {
  std::vector<Segment> segments;
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return segments;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    segments.push_back({header.p_offset, header.p_filesz, header.p_vaddr});
  }
  return segments;
}

// What the program calls an inlined function: as linkers do if that is known, else its bare name.
std::string function_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    if (dwarf_attr_integrate(die, kind, &attribute) == nullptr) continue;
    if (const char* name = dwarf_formstring(&attribute)) return shown_name(name);
  }
  const char* name = dwarf_diename(die);
  return name != nullptr ? name : "";
}

}  // namespace

struct ElfSymbols::File {
  std::unique_ptr<Dwfl, EndSession> session;
  Dwfl_Module* module = nullptr;
  std::uint64_t bias = 0;  // from addresses of the file to those of the session
  std::vector<Segment> segments;

  std::optional<std::uint64_t> address_of(std::uint64_t offset) const {
    for (const Segment& segment : segments) {
      if (offset >= segment.offset && offset - segment.offset < segment.bytes)
        return offset - segment.offset + segment.address + bias;
    }
    return std::nullopt;
  }
};

ElfSymbols::ElfSymbols(std::unique_ptr<File> file) : file_(std::move(file)) {}
ElfSymbols::ElfSymbols(ElfSymbols&& other) noexcept = default;
ElfSymbols::~ElfSymbols() = default;

Result<ElfSymbols> ElfSymbols::open(const std::string& path) {
  const auto error = [&] {
    const char* why = dwfl_errmsg(-1);
    return fail(input_error(fmt::format("has no symbols that can be read: {}",
                                        why != nullptr ? why : "it is not a program or library"))
                    .with_file(path));
  };
  struct stat status{};
  if (stat(path.c_str(), &status) == 0) note_input(status);
  auto file = std::make_unique<File>();
  file->session.reset(dwfl_begin(&kCallbacks));
  if (!file->session) return error();
  dwfl_report_begin(file->session.get());
  file->module = dwfl_report_offline(file->session.get(), path.c_str(), path.c_str(), -1);
  dwfl_report_end(file->session.get(), nullptr, nullptr);
  if (file->module == nullptr) return error();
  GElf_Addr bias = 0;
  Elf* elf = dwfl_module_getelf(file->module, &bias);
  if (elf == nullptr) return error();
  file->bias = bias;
  file->segments = segments_of(elf);
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int bytes = dwfl_module_build_id(file->module, &bits, &address);
  ElfSymbols symbols(std::move(file));
  if (bytes > 0)
    symbols.build_id_ =
        hexadecimal(std::as_bytes(std::span(bits, static_cast<std::size_t>(bytes))));
  return symbols;
}

Result<ElfSymbols> ElfSymbols::open(std::span<const std::byte> file, const std::string& name) {
  KUTRACE_ASSIGN(const MemoryFile memory, MemoryFile::create(file, name));
  return open(memory.path());
}

std::optional<CodeSymbol> ElfSymbols::find(std::uint64_t offset) const {
  const auto address = file_->address_of(offset);
  if (!address) return std::nullopt;
  GElf_Off inside = 0;
  GElf_Sym facts;
  const char* name =
      dwfl_module_addrinfo(file_->module, *address, &inside, &facts, nullptr, nullptr, nullptr);
  if (name == nullptr || inside > offset) return std::nullopt;
  if (facts.st_size != 0 && inside >= facts.st_size) return std::nullopt;
  CodeSymbol symbol;
  // How far a symbol without a size reaches is not known, nor what else lies in it.
  symbol.start = facts.st_size != 0 ? offset - inside : offset;
  symbol.end = symbol.start + std::max<std::uint64_t>(facts.st_size, 1);
  symbol.name = shown_name(name);
  return symbol;
}

std::optional<CodeLine> ElfSymbols::find_line(std::uint64_t offset) const {
  const auto address = file_->address_of(offset);
  Dwfl_Line* line = address ? dwfl_module_getsrc(file_->module, *address) : nullptr;
  if (line == nullptr) return std::nullopt;
  CodeLine found;
  const char* source = dwfl_lineinfo(line, nullptr, &found.line, nullptr, nullptr, nullptr);
  if (source == nullptr || found.line <= 0) return std::nullopt;
  const std::string_view path = source;
  found.source = path.substr(path.rfind('/') + 1);
  return found;
}

std::vector<std::string> ElfSymbols::find_inlined(std::uint64_t offset) const {
  std::vector<std::string> names;
  const auto address = file_->address_of(offset);
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = address ? dwfl_module_addrdie(file_->module, *address, &bias) : nullptr;
  if (unit == nullptr) return names;
  Dwarf_Die* found = nullptr;
  const int count = dwarf_getscopes(unit, *address - bias, &found);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> scopes(found, &std::free);
  for (int i = 0; i < count; ++i) {
    Dwarf_Die* scope = &scopes.get()[i];
    const int tag = dwarf_tag(scope);
    if (tag == DW_TAG_subprogram) break;
    if (tag == DW_TAG_inlined_subroutine) names.push_back(function_name(scope));
  }
  return names;
}

}  // namespace kutrace::symbols
