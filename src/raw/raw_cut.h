// SPDX-License-Identifier: BSD-3-Clause
// Raw traces to one raw trace: a window of one, or several one behind the other. Names, facts,
// losses, clock and block numbers are right in the result; memory is a block per CPU and the names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "base/time_window.h"
#include "format/raw_file.h"
#include "timeline/code_records.h"

namespace kutrace::raw {

// Takes the next bytes of the file; false: they could not be written.
using RawOutput = std::function<bool(std::string_view)>;

struct RawSummary {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t alike_rpcs = 0;  // numbers that RPCs of several machines have by chance, and keep
};

// The part of `file` in the window (ns after its start), of some or all CPUs. What a thread was in
// and what a CPU ran at the window's begin is told by new entries; time 0 of the result is there.
Result<RawSummary> cut_raw(const RawFile& file, TimeWindow window,
                           const std::optional<std::unordered_set<CpuId>>& cpus,
                           const RawOutput& output);

// The whole of `file`, and what is said of code beside what it says itself.
Result<RawSummary> name_code_raw(const RawFile& file, timeline::CodeRecords added,
                                 const RawOutput& output);

// The whole of `file`, and names of its packets by their hash, up to 56 bytes each.
Result<RawSummary> name_packets_raw(const RawFile& file,
                                    const std::map<std::uint32_t, std::string>& names,
                                    const RawOutput& output);

// Recordings of one machine between two boots, one behind the other in the order of their times.
// What lies between them is declared as lost.
Result<RawSummary> concat_raw(const std::vector<RawFile>& files, const RawOutput& output);

}  // namespace kutrace::raw
