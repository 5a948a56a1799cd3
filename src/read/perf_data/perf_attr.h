// SPDX-License-Identifier: BSD-3-Clause
// One event that perf recorded: of which kind, and what its samples hold. In: a perf_event_attr;
// out: the fields of a sample, or of what stands behind any other record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"

namespace kutrace::read {

constexpr std::size_t kSmallestPerfAttr = 64;  // PERF_ATTR_SIZE_VER0

struct PerfAttr {
  enum class Kind : std::uint8_t { kOther, kTracepoint, kSamples, kMinorFaults, kMajorFaults };

  Kind kind = Kind::kOther;
  std::uint64_t config = 0;  // of a tracepoint: the number of its event
  std::uint64_t sample_type = 0;
  std::uint64_t read_format = 0;
  bool ids_behind_all = false;  // each record ends with whose it is, and when
  bool tells_switches = false;

  bool has_time_and_cpu() const;
};

// Nothing if it is too short.
std::optional<PerfAttr> parse_perf_attr(std::span<const std::byte> bytes);

// Of a sample, or of another record. What is not told is 0 or kNoPid.
struct PerfSample {
  Ns time = 0;
  CpuId cpu = kNoCpu;
  Pid process = kNoPid;
  Pid thread = kNoPid;
  std::uint64_t ip = 0;
  std::span<const std::byte> raw;  // bytes of the tracepoint's event
};

// Nothing if it is shorter than its attr says.
std::optional<PerfSample> parse_perf_sample(const PerfAttr& attr, std::span<const std::byte> body);
std::optional<PerfSample> parse_perf_tail(const PerfAttr& attr, std::span<const std::byte> body);

// Which attr a record is of, where there are several.
std::optional<std::uint64_t> id_of_sample(const PerfAttr& any, std::span<const std::byte> body);

}  // namespace kutrace::read
