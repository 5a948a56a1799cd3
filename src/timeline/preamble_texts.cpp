// SPDX-License-Identifier: BSD-3-Clause
// Chunks to texts.
#include "timeline/preamble_texts.h"

#include "format/event_table.h"
#include "timeline/text_chunks.h"
#include "timeline/trace_layout.h"

namespace kutrace::timeline {

std::vector<std::string> preamble_texts(const TraceLayout& layout, EventNum kind) {
  TextChunks chunks;
  for (const decode::Entry& entry : layout.preamble) {
    if (name_kind(entry.number) == kind) chunks.push(entry);
  }
  return chunks.texts();
}

}  // namespace kutrace::timeline
