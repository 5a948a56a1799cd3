// SPDX-License-Identifier: BSD-3-Clause
// Stands for elf_symbols.cpp where libdw is absent: every file is refused with the reason.
#include "symbols/elf_functions.h"
#include "symbols/elf_symbols.h"

namespace kutrace::symbols {

struct ElfSymbols::File {};

ElfSymbols::ElfSymbols(std::unique_ptr<File> file) : file_(std::move(file)) {}
ElfSymbols::ElfSymbols(ElfSymbols&& other) noexcept = default;
ElfSymbols::~ElfSymbols() = default;

Result<ElfSymbols> ElfSymbols::open(const std::string& path) {
  return fail(host_error("symbols cannot be read: this program was built without libdw")
                  .with_file(path)
                  .with_hint("install libdw-dev (elfutils) and build again"));
}

Result<ElfSymbols> ElfSymbols::open(std::span<const std::byte> /*file*/, const std::string& name) {
  return open(name);
}

Result<ElfFunctions> elf_functions(const std::string& path) {
  return fail(ElfSymbols::open(path).error());
}

std::optional<CodeSymbol> ElfSymbols::find(std::uint64_t /*offset*/) const { return std::nullopt; }
std::optional<CodeLine> ElfSymbols::find_line(std::uint64_t /*offset*/) const {
  return std::nullopt;
}

std::vector<std::string> ElfSymbols::find_inlined(std::uint64_t /*offset*/) const { return {}; }

}  // namespace kutrace::symbols
