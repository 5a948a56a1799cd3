// SPDX-License-Identifier: BSD-3-Clause
// Texts to records.
#include "timeline/code_records.h"

#include "format/event_table.h"
#include "timeline/preamble_texts.h"

namespace kutrace::timeline {

CodeRecords recorded_code(const TraceLayout& layout) {
  return {.maps = preamble_records(layout, kind::kMAP, parse_map_record),
          .symbols = preamble_records(layout, kind::kSYMBOL, parse_symbol_record),
          .stacks = preamble_records(layout, kind::kSTACK, parse_stack_record)};
}

}  // namespace kutrace::timeline
