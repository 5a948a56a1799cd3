// SPDX-License-Identifier: BSD-3-Clause
// Symbols and lines of one ELF file, and of its debug file if there is one. In: a place in the
// file; out: the function there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kutrace::symbols {

struct CodeSymbol {
  // What it is known to reach over, as offsets in the file: without a size, the place asked for.
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string name;  // demangled
};

struct CodeLine {
  std::string source;  // name of the source file without its folders
  int line = 0;
};

class ElfSymbols {
 public:
  static Result<ElfSymbols> open(const std::string& path);
  // The same for a file that is in memory only; `name` is what errors call it.
  static Result<ElfSymbols> open(std::span<const std::byte> file, const std::string& name);
  ElfSymbols(ElfSymbols&& other) noexcept;
  ElfSymbols& operator=(ElfSymbols&&) = delete;
  ~ElfSymbols();

  // Hexadecimal; empty if the file has none.
  const std::string& build_id() const { return build_id_; }
  // Nothing if no symbol reaches there.
  std::optional<CodeSymbol> find(std::uint64_t offset) const;
  // Nothing if there is no debug information for it. Reads that of the whole file at first.
  std::optional<CodeLine> find_line(std::uint64_t offset) const;
  // Functions that were inlined there, the innermost first; the same holds.
  std::vector<std::string> find_inlined(std::uint64_t offset) const;

 private:
  struct File;
  explicit ElfSymbols(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
  std::string build_id_;
};

}  // namespace kutrace::symbols
