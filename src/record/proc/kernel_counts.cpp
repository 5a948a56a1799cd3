// SPDX-License-Identifier: BSD-3-Clause
// Reads /proc/stat and /proc/interrupts.
#include "record/proc/kernel_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "base/number_text.h"
#include "base/units.h"
#include "files/small_file.h"
#include "format/event_table.h"
#include "kutrace/event_numbers.h"
#include "kutrace/interrupts.h"

namespace kutrace::record {

namespace {

// Recording starts and ends a little inside the moments at which the kernel's counts are read.
constexpr double kEdge = 32;

struct CountedVector {
  std::string_view label;
  std::array<EventNum, 2> events;
};
constexpr std::array<CountedVector, 5> kVectors = {{
    {"LOC", {KUTRACE_IRQ_LOCAL_TIMER, 0}},
    {"RES", {KUTRACE_IRQ_RESCHEDULE, 0}},
    {"CAL", {KUTRACE_IRQ_CALL_SINGLE, KUTRACE_IRQ_CALL_MANY}},
    {"IWI", {KUTRACE_IRQ_IRQ_WORK, 0}},
    {"SPU", {KUTRACE_IRQ_SPURIOUS, 0}},
}};

// The number of an interrupt that a device has; others have letters.
std::optional<std::uint32_t> irq_of(std::string_view label) {
  return parse_number<std::uint32_t>(label);
}

std::uint64_t recorded_for(const std::string& label, const std::vector<std::uint64_t>& by_event) {
  if (label == kSwitches) return by_event[ev::kUSERPID];
  if (const auto irq = irq_of(label)) return by_event[KUTRACE_FIRST_IRQ | kutrace_irq_slot(*irq)];
  for (const CountedVector& vector : kVectors)
    if (vector.label == label) return by_event[vector.events[0]] + by_event[vector.events[1]];
  return 0;
}

bool is_counted(const std::string& label) {
  return label == kSwitches || irq_of(label) ||
         std::ranges::find(kVectors, label, &CountedVector::label) != kVectors.end();
}

}  // namespace

std::vector<InterruptLine> parse_interrupts(const std::string& text) {
  std::vector<InterruptLine> lines;
  std::istringstream in(text);
  std::string row;
  std::getline(in, row);  // CPU numbers
  while (std::getline(in, row)) {
    std::istringstream words(row);
    InterruptLine line;
    words >> line.label;
    if (!line.label.ends_with(':')) continue;
    line.label.pop_back();
    std::string word;
    while (words >> word) {
      const auto count = parse_number<std::uint64_t>(word);
      if (!count) break;
      line.count += *count;
    }
    if (irq_of(line.label)) line.name = row.substr(row.find_last_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

KernelCounts read_kernel_counts() {
  KernelCounts counts;
  std::istringstream stat(files::read_text("/proc/stat"));
  for (std::string line; std::getline(stat, line);)
    if (line.starts_with("ctxt "))
      counts[std::string(kSwitches)] = parse_number<std::uint64_t>(line.substr(5)).value_or(0);
  for (const InterruptLine& line : parse_interrupts(files::read_text("/proc/interrupts")))
    if (is_counted(line.label)) counts[line.label] = line.count;
  return counts;
}

double CountComparison::percent() const {
  const double gap = static_cast<double>(kernel) - static_cast<double>(recorded + known);
  return 100 * std::abs(gap) / std::max(1.0, static_cast<double>(kernel));
}

bool CountComparison::differs() const {
  return percent() * static_cast<double>(kernel) > 100.0 * kEdge && percent() > 0.1;
}

std::vector<CountComparison> compare_counts(const KernelCounts& before, const KernelCounts& after,
                                            const std::vector<std::uint64_t>& by_event,
                                            bool with_interrupts) {
  std::vector<CountComparison> result;
  for (const auto& [name, count] : after) {
    if (name != kSwitches && !with_interrupts) continue;
    const auto found = before.find(name);
    const std::uint64_t kernel = count - (found == before.end() ? 0 : found->second);
    const std::uint64_t recorded = recorded_for(name, by_event);
    if (kernel != 0 || recorded != 0) result.push_back({name, recorded, kernel, 0});
  }
  return result;
}

}  // namespace kutrace::record
