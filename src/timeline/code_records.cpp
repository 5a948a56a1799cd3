// SPDX-License-Identifier: BSD-3-Clause
// Entries to texts to records.
#include "timeline/code_records.h"

#include <utility>

#include "format/event_table.h"
#include "timeline/text_chunks.h"
#include "timeline/trace_layout.h"

namespace kutrace::timeline {

CodeRecords recorded_code(const TraceLayout& layout) {
  TextChunks maps;
  TextChunks symbols;
  TextChunks stacks;
  for (const decode::Entry& entry : layout.preamble) {
    if (name_kind(entry.number) == kind::kMAP) maps.push(entry);
    if (name_kind(entry.number) == kind::kSYMBOL) symbols.push(entry);
    if (name_kind(entry.number) == kind::kSTACK) stacks.push(entry);
  }
  CodeRecords records;
  for (const std::string& text : maps.texts()) {
    if (auto map = parse_map_record(text)) records.maps.push_back(std::move(*map));
  }
  for (const std::string& text : symbols.texts()) {
    if (auto symbol = parse_symbol_record(text)) records.symbols.push_back(std::move(*symbol));
  }
  for (const std::string& text : stacks.texts()) {
    if (auto stack = parse_stack_record(text)) records.stacks.push_back(std::move(*stack));
  }
  return records;
}

}  // namespace kutrace::timeline
