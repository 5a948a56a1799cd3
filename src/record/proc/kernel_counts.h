// SPDX-License-Identifier: BSD-3-Clause
// The kernel's own counts of switches and interrupts, to compare with what was recorded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace::record {

// One line of /proc/interrupts.
struct InterruptLine {
  std::string label;        // "24", "LOC"
  std::uint64_t count = 0;  // of all CPUs
  std::string name;         // last word: the device, for numbered ones
};
std::vector<InterruptLine> parse_interrupts(const std::string& text);

constexpr std::string_view kSwitches = "ctxt";

// By name: "ctxt", "LOC", "24", ...
using KernelCounts = std::map<std::string, std::uint64_t>;
KernelCounts read_kernel_counts();

struct CountComparison {
  std::string name;
  std::uint64_t recorded = 0;
  std::uint64_t kernel = 0;
  std::uint64_t known = 0;  // not recorded, and told elsewhere
  bool differs() const;     // by more than 0.1 % and more than the moments of reading explain
  double percent() const;
};

// `by_event`: entries by event number. Interrupts are compared where they were recorded.
std::vector<CountComparison> compare_counts(const KernelCounts& before, const KernelCounts& after,
                                            const std::vector<std::uint64_t>& by_event,
                                            bool with_interrupts);

}  // namespace kutrace::record
