// SPDX-License-Identifier: BSD-3-Clause
// What a perf.data says before or behind its records. In: the file; out: events and their ids,
// facts, formats of tracepoints, and where the records lie.
//
// A file on disk: "PERFILE2", u64 size of this header, u64 size of an attr with the place of its
// ids, places of attrs and records, a bit for each feature; a table of the features' places stands
// behind the records. A stream ("perf record -o -") has the first two, then records, of which some
// hold attrs and features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "base/units.h"
#include "read/import/raw_events.h"
#include "read/perf_data/perf_attr.h"

namespace kutrace::read {

struct PerfHeader {
  struct ClockPair {
    std::uint32_t clock = 0;  // CLOCK_*
    std::uint64_t wall_ns = 0;
    std::uint64_t clock_ns = 0;
  };

  std::vector<PerfAttr> attrs;
  std::unordered_map<std::uint64_t, std::size_t> attr_of_id;
  RawEvents events;
  std::string host;
  std::string release;
  std::string version;  // perf's
  std::string machine;
  std::string cpu_model;
  std::string command_line;
  std::optional<ClockPair> clock;
  std::optional<std::uint32_t> cpus_online;
  std::span<const std::byte> records;
  std::size_t records_at = 0;  // in the file
  bool cut = false;            // records end before the header says

  void add_attr(std::span<const std::byte> attr, std::span<const std::byte> ids);
  void add_feature(unsigned number, std::span<const std::byte> bytes);
  // All from the mark of such data on; false: it is something else, or cut.
  bool add_tracing_data(std::span<const std::byte> bytes);
};

bool is_perf_data(std::string_view bytes);

Result<PerfHeader> read_perf_header(const MappedFile& file);

}  // namespace kutrace::read
