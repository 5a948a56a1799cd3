// SPDX-License-Identifier: BSD-3-Clause
#include "record/count/event_names.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <utility>

#include "base/number_text.h"
#include "files/small_file.h"
#include "format/event_table.h"
#include "format/syscall_names.h"
#include "record/ebpf/bpf/count_layout.h"
#include "record/proc/kernel_counts.h"

namespace kutrace::record {

namespace {

constexpr std::uint32_t kFirst32BitCall = 512;
constexpr unsigned kSoftirqs = 10;

EventName same(const std::string& name) { return {name, name}; }

EventNames call_names() {
  utsname machine{};
  uname(&machine);
  EventNames names;
  for (const auto& [number, name] : syscall_names(machine.machine)) names[number] = same(name);
  for (const auto& [number, name] : syscall32_names(machine.machine))
    if (number < kFirst32BitCall)
      names[number + kFirst32BitCall] = {name, std::string(name) + " (32 bits)"};
  return names;
}

EventNames interrupt_names() {
  EventNames names;
  for (const InterruptLine& line : parse_interrupts(files::read_text("/proc/interrupts")))
    if (const auto number = parse_number<std::uint32_t>(line.label))
      names[*number] = same(line.name.empty() ? line.label : line.name);
  return names;
}

EventNames softirq_names() {
  EventNames names;
  for (unsigned number = 0; number < kSoftirqs; ++number)
    names[number] = same(std::string(softirq_name(number)));
  return names;
}

}  // namespace

EventNames event_names(count::Probe probe) {
  switch (probe) {
    case count::Probe::kSyscall:
      return call_names();
    case count::Probe::kIrq:
      return interrupt_names();
    case count::Probe::kSoftirq:
      return softirq_names();
    case count::Probe::kFault:
      return {{0, same("user")}, {1, same("kernel")}};
    case count::Probe::kSwitch:
    case count::Probe::kOffCpu:
      return {{0, same("blocked")}, {1, same("preempted")}};
    case count::Probe::kRunQueue:
      return {{0, same("woken")}, {1, same("preempted")}};
    case count::Probe::kWakeup:
    case count::Probe::kTracepoint:
      return {};
  }
  return {};
}

std::string shown_name(count::Probe probe, const EventNames& names, std::uint64_t key) {
  const auto number = static_cast<std::uint32_t>(key);
  const bool has_name = key < KUTRACE_COUNT_NUMBER;
  const auto known = has_name ? names.find(number) : names.end();
  if (known != names.end()) return known->second.shown;
  if (probe != count::Probe::kSyscall) return std::to_string(key);
  const bool is_32_bit = has_name ? number >= kFirst32BitCall : key >= 2 * KUTRACE_COUNT_NUMBER;
  const std::uint32_t first = has_name && is_32_bit ? kFirst32BitCall : 0;
  return fmt::format("{}#{}", is_32_bit ? "sys32" : "sys",
                     static_cast<std::int32_t>(number - first));
}

}  // namespace kutrace::record
