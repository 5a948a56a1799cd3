// SPDX-License-Identifier: BSD-3-Clause
// Fills the name entries of block 0.
#include "record/run/host_names.h"

#include <sys/utsname.h>

#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/number_text.h"
#include "files/small_file.h"
#include "format/event_table.h"
#include "format/syscall_names.h"
#include "kutrace/interrupts.h"
#include "kutrace/labels.h"
#include "record/proc/kernel_counts.h"

namespace kutrace::record {

namespace {

constexpr int kLastErrno = 133;
constexpr std::uint32_t kSchedulerItem = 1535;  // 0x800 + 1535 = 0xdff
constexpr std::uint32_t kUnknownCallItem = 0x5fe;
constexpr std::uint32_t kSpuriousSlot = 0xdf;
constexpr std::uint32_t kCleanupSlot = 0xde;

constexpr NumberedName kTraps[] = {
#define KUTRACE_TRAP(number, name) {number, name},
#include "kutrace/events.def"
};
constexpr NumberedName kIrqs[] = {
#define KUTRACE_IRQ(id, number, name) {number, name},
#include "kutrace/events.def"
};
std::string cpu_model() {
  std::istringstream in(files::read_text("/proc/cpuinfo"));
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

void add_device_names(NameEntries& names) {
  for (const InterruptLine& line : parse_interrupts(files::read_text("/proc/interrupts"))) {
    const auto irq = parse_number<std::uint32_t>(line.label);
    if (irq && !line.name.empty())
      names.add_name(kind::kIRQ_NAME, kutrace_irq_slot(*irq), line.name);
  }
}

}  // namespace

// As a program tells its own labels (kutrace/mark.h).
void add_function_names(NameEntries& names, const std::vector<ProbedFunction>& functions) {
  std::uint32_t function = KUTRACE_FIRST_PROBED_FUNCTION;
  std::uint32_t piece = KUTRACE_FIRST_LONG_LABEL;
  for (const ProbedFunction& probed : functions) {
    std::string_view text = std::string_view(probed.name).substr(0, KUTRACE_LABEL_BYTES);
    std::uint32_t number = function++;
    while (text.size() > KUTRACE_NAME_BYTES) {
      std::string first(text.substr(0, KUTRACE_LABEL_PIECE));
      text.remove_prefix(KUTRACE_LABEL_PIECE);
      const std::uint32_t rest = piece++;
      first.push_back('\0');
      first.append(reinterpret_cast<const char*>(&rest), sizeof rest);
      names.add_name(kind::kLOCK_NAME, std::exchange(number, rest), first);
    }
    names.add_name(kind::kLOCK_NAME, number, text);
  }
}

void add_machine_names(NameEntries& names) {
  utsname machine{};
  uname(&machine);
  names.add_name(kind::kKERNEL_VERSION, 0, std::string(machine.release) + " " + machine.version);
  names.add_name(kind::kCPU_MODEL, 0, cpu_model());
  names.add_name(kind::kHOST_NAME, 0, machine.nodename);
  names.add_name(kind::kPID_NAME, 0, "-idle-");
  for (const auto& [number, name] : kTraps) names.add_name(kind::kTRAP_NAME, number, name);
  for (const auto& [number, name] : kIrqs) names.add_name(kind::kIRQ_NAME, number, name);
  names.add_name(kind::kIRQ_NAME, kSpuriousSlot, "spurious_apic");
  names.add_name(kind::kIRQ_NAME, kCleanupSlot, "irq_move_cleanup");
  add_device_names(names);
  for (const auto& [number, name] : syscall_names(machine.machine))
    names.add_name(kind::kSYSCALL_NAME, KUTRACE_MAP_SYSCALL(number), name);
  names.add_name(kind::kSYSCALL_NAME, kSchedulerItem, "-sched-");
  names.add_name(kind::kSYSCALL_NAME, kUnknownCallItem, "unknown_call");
  for (const auto& [number, name] : syscall32_names(machine.machine))
    names.add_name(kind::kSYSCALL32_NAME, number, name);
  for (int number = 1; number <= kLastErrno; ++number)
    if (const char* name = strerrorname_np(number))
      names.add_name(kind::kERRNO_NAME, static_cast<std::uint32_t>(number), name);
}

void add_task(NameEntries& names, const SeedTask& task, std::uint32_t extra) {
  names.add_name(kind::kPID_NAME, static_cast<std::uint32_t>(task.pid), task.name);
  const std::uint32_t flags = extra | (task.kernel_thread ? KUTRACE_TASK_KERNEL_THREAD : 0);
  names.add(task_entry({task.pid, task.process, task.parent, flags, task.blocked_in}));
}

}  // namespace kutrace::record
