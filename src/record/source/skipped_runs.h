// SPDX-License-Identifier: BSD-3-Clause
// Runs of hooks that the kernel skipped: takes readings of its counters, one per hook, and says
// which hooks missed how many runs, and between which times as far as the readings tell.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/blocks/clock.h"

namespace kutrace::record {

struct SkippedRuns {
  std::string hook;
  std::uint64_t runs = 0;
  Ticks begin = 0;  // none was skipped before
  Ticks end = 0;    // none after
};

class SkippedRunCounter {
 public:
  // The counter of a hook, which never goes back; what the first reading has was before.
  void read(std::string_view hook, std::uint64_t counter, Ticks now);
  // Hooks with skipped runs, in order of name.
  std::vector<SkippedRuns> all() const;

 private:
  struct Reading {
    std::uint64_t counter = 0;
    Ticks at = 0;
    SkippedRuns skipped;
  };
  std::map<std::string, Reading, std::less<>> hooks_;
};

// Of all that were skipped, those since `begin`, up to which `before` were.
std::vector<SkippedRuns> skipped_since(Ticks begin, const std::vector<SkippedRuns>& before,
                                       std::vector<SkippedRuns> all);

std::uint64_t total_of(const std::vector<SkippedRuns>& skipped);

// "sys_enter 2 (0.00..1.00 s)", with times since the start of the recording.
std::string skipped_text(const SkippedRuns& skipped, Ticks start, const TickRate& rate);

}  // namespace kutrace::record
