// SPDX-License-Identifier: BSD-3-Clause
// Entries to texts to records.
#include "timeline/process_records.h"

#include <utility>

#include "format/event_table.h"
#include "timeline/text_chunks.h"
#include "timeline/trace_layout.h"

namespace kutrace::timeline {

ProcessRecords recorded_processes(const TraceLayout& layout) {
  TextChunks chunks;
  for (const decode::Entry& entry : layout.preamble) {
    if (name_kind(entry.number) == kind::kPROCESS) chunks.push(entry);
  }
  ProcessRecords records;
  for (const std::string& text : chunks.texts()) {
    if (auto descriptor = parse_descriptor_record(text))
      records.descriptors.push_back(std::move(*descriptor));
    else if (auto cgroup = parse_cgroup_record(text))
      records.cgroups.push_back(std::move(*cgroup));
  }
  return records;
}

}  // namespace kutrace::timeline
