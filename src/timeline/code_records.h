// SPDX-License-Identifier: BSD-3-Clause
// What a raw trace says of code that was sampled: its MAP, SYMBOL and STACK entries as records.
#pragma once

#include <vector>

#include "format/symbol_text.h"

namespace kutrace::timeline {

struct TraceLayout;

struct CodeRecords {
  std::vector<MapRecord> maps;
  std::vector<SymbolRecord> symbols;
  std::vector<StackRecord> stacks;
};

// Texts that are no records are left out.
CodeRecords recorded_code(const TraceLayout& layout);

}  // namespace kutrace::timeline
