// SPDX-License-Identifier: BSD-3-Clause
// Sampled code to names. In: mapped files with the program counters that were sampled in them; out:
// symbol records, and how much each file contributed. A file that is not the recorded one gives no
// names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "format/symbol_text.h"

namespace kutrace::symbols {

struct SampledMap {
  MapRecord map;
  std::map<std::uint64_t, std::uint64_t> counters;  // program counter to number of samples
};

struct SymbolizeOptions {
  std::string root;           // stands before every path
  bool lines = false;         // names end in " (file.c:12)"
  bool inlined = false;       // names begin with inlined functions: "inner < outer < function"
  bool unidentified = false;  // files are taken although no build-id says that they are the ones
};

struct FileOutcome {
  std::string path;
  std::uint64_t samples = 0;
  std::uint64_t named = 0;
  std::string refused;  // why the file was not used; empty: it was
};

struct Symbolized {
  std::vector<SymbolRecord> symbols;
  std::vector<FileOutcome> files;  // by path
};

Symbolized symbolize(const std::vector<SampledMap>& sampled, const SymbolizeOptions& options);

}  // namespace kutrace::symbols
