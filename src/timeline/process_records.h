// SPDX-License-Identifier: BSD-3-Clause
// What a raw trace knows of processes. In: the PROCESS entries of its preamble; out: records, their
// times still counters of the trace.
#pragma once

#include <vector>

#include "format/process_text.h"

namespace kutrace::timeline {

struct TraceLayout;

struct ProcessRecords {
  std::vector<DescriptorRecord> descriptors;
  std::vector<CgroupRecord> cgroups;
};

// Texts that do not parse are left out.
ProcessRecords recorded_processes(const TraceLayout& layout);

}  // namespace kutrace::timeline
