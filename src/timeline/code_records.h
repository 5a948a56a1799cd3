// SPDX-License-Identifier: BSD-3-Clause
// What a raw trace knows of sampled code. In: the MAP, SYMBOL and STACK entries of its preamble;
// out: records, their times still counters of the trace.
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

// Texts that do not parse are left out.
CodeRecords recorded_code(const TraceLayout& layout);

}  // namespace kutrace::timeline
