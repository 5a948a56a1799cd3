// SPDX-License-Identifier: BSD-3-Clause
// What a trace.dat of trace-cmd says before its events, in version 6 and 7. In: the file; out:
// formats of events, facts, and where each CPU's pages lie.
//
// Both begin with 17 08 44 "tracing", the version, byte order, size of a long and of a page.
// Version 6 goes on with parts in a fixed order; version 7 names its packing and the place of a
// list of options, which says where sections lie: u16 id, u16 flags, u32 name, u64 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "base/units.h"
#include "read/import/raw_events.h"

namespace kutrace::read {

// Cycles to nanoseconds: ((cycles * multiplier) >> shift) - offset.
struct CycleRate {
  std::uint32_t multiplier = 0;
  std::uint32_t shift = 0;
  std::uint64_t offset = 0;
};

struct DatHeader {
  struct CpuPages {
    CpuId cpu = 0;
    std::span<const std::byte> bytes;
  };

  RawEvents events;
  std::size_t long_bytes = 8;
  std::size_t page_bytes = 4096;
  std::string clock;
  std::string uname;  // system, host, release, machine
  std::string recorder;
  std::optional<CycleRate> cycles;
  std::string last_names;  // "pid name" by line
  std::vector<CpuPages> cpus;
  bool packed = false;               // pages, in chunks
  bool cut = false;                  // a CPU's pages are not all in the file
  std::size_t other_recordings = 0;  // of other buffers, which are not read
};

bool is_trace_dat(std::string_view bytes);

// Of its parts at most so many bytes are held.
Result<DatHeader> read_dat_header(const MappedFile& file, std::uint64_t most);

}  // namespace kutrace::read
