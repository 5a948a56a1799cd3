// SPDX-License-Identifier: BSD-3-Clause
// Texts to records.
#include "timeline/process_records.h"

#include <utility>

#include "format/event_table.h"
#include "timeline/preamble_texts.h"

namespace kutrace::timeline {

ProcessRecords recorded_processes(const TraceLayout& layout) {
  ProcessRecords records;
  for (const std::string& text : preamble_texts(layout, kind::kPROCESS)) {
    if (auto descriptor = parse_descriptor_record(text))
      records.descriptors.push_back(std::move(*descriptor));
    else if (auto cgroup = parse_cgroup_record(text))
      records.cgroups.push_back(std::move(*cgroup));
  }
  return records;
}

}  // namespace kutrace::timeline
