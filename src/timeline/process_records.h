// SPDX-License-Identifier: BSD-3-Clause
// What a raw trace says of processes: its PROCESS entries as records.
#pragma once

#include <vector>

#include "format/process_text.h"

namespace kutrace::timeline {

struct TraceLayout;

struct ProcessRecords {
  std::vector<DescriptorRecord> descriptors;
  std::vector<CgroupRecord> cgroups;
};

// Texts that are no records are left out.
ProcessRecords recorded_processes(const TraceLayout& layout);

}  // namespace kutrace::timeline
