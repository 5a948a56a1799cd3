// SPDX-License-Identifier: BSD-3-Clause
// A file rebuilt in memory, to be compared with the truth. Catch2 is not needed to use it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/processes.h"
#include "model/span.h"
#include "model/trace_info.h"
#include "reports/law_check.h"
#include "support/truth_generator.h"

namespace kutrace::test {

using Counts = std::map<std::string, std::uint64_t>;

struct Observed {
  bool usable = false;
  std::string error;  // if not usable, what a person would read
  std::vector<Span> spans;
  TraceInfo info;
  Processes processes;
  reports::LawReport law;
  std::size_t negative = 0;  // spans of any kind that end before they start
};

void observe(std::vector<std::byte> file, Observed& out);

// Neighbours on a CPU that are the same thing, as one; execution spans only, by CPU.
std::vector<TrueSpan> merged(const std::vector<TrueSpan>& spans);
std::vector<TrueSpan> merged(const std::vector<Span>& spans);

// Execution spans by CPU, as they came.
std::vector<TrueSpan> timelines(const std::vector<Span>& spans);

constexpr Ns kUsualTick = 16;

// Empty if the timelines agree within one tick, else where they first do not.
std::string first_difference(const std::vector<TrueSpan>& truth, const std::vector<TrueSpan>& seen,
                             Ns tick = kUsualTick);

// The first of `spans`, at least three ticks long, that is not among `others`, whose every edge may
// be a tick off; empty if there is none. For clocks in one tick of which many things happen.
std::string first_without_match(const std::vector<TrueSpan>& spans,
                                const std::vector<TrueSpan>& others, Ns tick);

// The same for lines in any order.
std::string first_difference(std::vector<std::string> truth, std::vector<std::string> seen);

std::vector<std::string> waits_and_wakeups(const Truth& truth);
std::vector<std::string> waits_and_wakeups(const Observed& seen);

}  // namespace kutrace::test
