// SPDX-License-Identifier: BSD-3-Clause
// Raw traces to one raw trace: a window of one, or several, one behind the other. In: files; out:
// the bytes of a file in which names, facts, losses, clock and block numbers are right. Memory is a
// block per CPU, and the names.
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
#include "format/packet_text.h"
#include "format/raw_file.h"
#include "raw/chosen_processes.h"
#include "timeline/code_records.h"

namespace kutrace::raw {

// Takes the next bytes of the output; false if they could not be written. All functions below fail
// then, or if lay_out() fails for a file.
using RawOutput = std::function<bool(std::string_view)>;

struct RawSummary {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t alike_rpcs = 0;  // numbers that RPCs of several machines have by chance, and keep
};

// The part of `file` that lies in the window (ns after its time 0), of some or all CPUs. New
// entries tell what each thread was in and what each CPU ran at the window's begin. Times stay
// those of `file`. Fails if the window holds nothing of the recording, or the file none of the
// CPUs.
Result<RawSummary> cut_raw(const RawFile& file, TimeWindow window,
                           const std::optional<std::unordered_set<CpuId>>& cpus,
                           const RawOutput& output);

// The whole of `file`, with records of code added to its own.
Result<RawSummary> name_code_raw(const RawFile& file, timeline::CodeRecords added,
                                 const RawOutput& output);

// What a capture knows of the time of a trace.
struct PacketRecords {
  std::map<std::uint32_t, std::string> names;  // of recorded packets, by hash; up to 56 bytes each
  std::vector<PacketRecord> captured;          // that were not recorded
};

// The whole of `file`, with packets added to its own.
Result<RawSummary> add_packets_raw(const RawFile& file, PacketRecords packets,
                                   const RawOutput& output);

// The whole of `file`, but for what threads do that are not of these processes: as if the recording
// had had a filter. `text` says in words which they are; `unseen`, what is left out.
Result<RawSummary> choose_processes_raw(const RawFile& file, const ProcessChoice& choice,
                                        const std::string& text, const std::string& unseen,
                                        const RawOutput& output);

// Recordings of one boot of one machine, in the order of their times. What lies between them is
// declared as lost. Fails if they overlap, or if their clocks do not go on from each other.
Result<RawSummary> concat_raw(const std::vector<RawFile>& files, const RawOutput& output);

}  // namespace kutrace::raw
