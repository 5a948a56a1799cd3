// SPDX-License-Identifier: BSD-3-Clause
// Things that a source could not record, counted where they happened, and what no source on a stock
// kernel's tracepoints can see.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace::record {

struct Misses {
  std::uint64_t packets_unhashed = 0;
  std::uint64_t inserts_refused = 0;
  std::uint64_t inserts_unreadable = 0;
  std::uint64_t foreign_frequency = 0;
  std::uint64_t stacks_lost = 0;
  std::uint64_t marks_lost = 0;
  std::uint64_t group_moves_lost = 0;
};

// One line for each that is not 0.
std::vector<std::string> misses_text(const Misses& misses);

// doc/sources.md says more about each.
std::vector<std::string> never_seen(std::span<const std::string> calls = {});

// Instructions per cycle and cache misses, and why they are not recorded.
std::string no_counters(const std::string& why);

}  // namespace kutrace::record
