// SPDX-License-Identifier: BSD-3-Clause
// The table of tracepoints.
#include "read/import/tracepoints.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace kutrace::read {

namespace {

using enum What;

constexpr Tracepoint kTracepoints[] = {
    {"sched_switch", kSwitch, {"prev_pid", "prev_state", "next_pid"}, {"prev_comm", "next_comm"}},
    {"sched_waking", kWaking, {"pid"}, {"comm"}},
    {"sched_wakeup", kWakeup, {"pid"}, {"comm"}},
    {"sched_wakeup_new", kWakeupNew, {"pid"}, {"comm"}},
    {"sched_process_fork", kFork, {"parent_pid", "child_pid"}, {"parent_comm", "child_comm"}},
    {"task_newtask", kNewTask, {"pid", "clone_flags"}, {"comm"}},
    {"sched_process_exec", kExec, {"pid", "old_pid"}},
    {"sched_process_exit", kExit, {"pid"}, {"comm"}},
    {"task_rename", kRename, {"pid"}, {"oldcomm", "newcomm"}},
    {"sys_enter", kSyscall, {"id", "args"}},
    {"sys_exit", kSyscallReturn, {"id", "ret"}},
    {"irq_handler_entry", kIrq, {"irq"}, {"name"}},
    {"irq_handler_exit", kIrqReturn, {"irq", "ret"}},
    {"softirq_entry", kSoftirq, {"vec"}},
    {"softirq_exit", kSoftirqReturn, {"vec"}},
    {"local_timer_entry", kVector, {"vector"}},
    {"local_timer_exit", kVectorReturn, {"vector"}},
    {"deferred_error_apic_entry", kVector, {"vector"}},
    {"deferred_error_apic_exit", kVectorReturn, {"vector"}},
    {"irq_work_entry", kVector, {"vector"}},
    {"irq_work_exit", kVectorReturn, {"vector"}},
    {"x86_platform_ipi_entry", kVector, {"vector"}},
    {"x86_platform_ipi_exit", kVectorReturn, {"vector"}},
    {"threshold_apic_entry", kVector, {"vector"}},
    {"threshold_apic_exit", kVectorReturn, {"vector"}},
    {"thermal_apic_entry", kVector, {"vector"}},
    {"thermal_apic_exit", kVectorReturn, {"vector"}},
    {"call_function_single_entry", kVector, {"vector"}},
    {"call_function_single_exit", kVectorReturn, {"vector"}},
    {"call_function_entry", kVector, {"vector"}},
    {"call_function_exit", kVectorReturn, {"vector"}},
    {"reschedule_entry", kVector, {"vector"}},
    {"reschedule_exit", kVectorReturn, {"vector"}},
    {"error_apic_entry", kVector, {"vector"}},
    {"error_apic_exit", kVectorReturn, {"vector"}},
    {"spurious_apic_entry", kVector, {"vector"}},
    {"spurious_apic_exit", kVectorReturn, {"vector"}},
    {"nmi_handler", kNmi, {"delta_ns", "handled"}},
    {"page_fault_user", kFault, {"error_code"}},
    {"page_fault_kernel", kFault, {"error_code"}},
    {"ipi_send_cpu", kSendIpi, {"cpu"}},
    {"ipi_send_cpumask", kSendIpis},
    {"ipi_raise", kSendIpis},
    {"ipi_entry", kIpi, {}, {"reason"}},
    {"ipi_exit", kIpiReturn, {}, {"reason"}},
    {"cpu_idle", kIdle, {"state", "cpu_id"}},
    {"cpu_frequency", kFrequency, {"state", "cpu_id"}},
};

// tracefs has a tracepoint of its own for each system call, beside the two for all.
constexpr Tracepoint kOneSyscall = {"sys_enter_", kSyscall, {"__syscall_nr", kFieldsBehind}};
constexpr Tracepoint kOneReturn = {"sys_exit_", kSyscallReturn, {"__syscall_nr", "ret"}};

constexpr Told kTold[] = {
    {kSwitch, "sched", "context switches"},
    {kWaking, "wakeups", ""},
    {kWakeup, "wakeups", ""},
    {kWakeupNew, "wakeups", "wakeups of new threads"},
    {kFork, "", "new threads"},
    {kExec, "", "programs that are started"},
    {kRename, "", "threads that rename themselves"},
    {kExit, "", ""},
    {kSyscall, "syscalls", "system calls"},
    {kSyscallReturn, "syscalls", "returns of system calls"},
    {kIrq, "irqs", "device interrupts"},
    {kVector, "irqs", "timer and inter-processor interrupts"},
    {kIpi, "irqs", ""},
    {kSoftirq, "softirqs", "softirqs"},
    {kNmi, "", "non-maskable interrupts"},
    {kFault, "faults", "page faults"},
    {kFaultReturn, "", "returns of page faults"},
    {kSendIpi, "", "interrupts sent to one CPU"},
    {kSendIpis, "", "interrupts sent to several CPUs"},
    {kIdle, "power", "idle states"},
    {kFrequency, "power", "frequency changes"},
    {kSample, "samples", ""},
};

constexpr auto kThreadNumbers = [] {
  std::array<unsigned, static_cast<std::size_t>(What::kCount)> bits{};
  for (const Tracepoint& row : kTracepoints)
    for (std::size_t i = 0; i < row.numbers.size(); ++i)
      if (row.numbers[i].ends_with("pid")) bits[static_cast<std::size_t>(row.what)] |= 1U << i;
  return bits;
}();

}  // namespace

unsigned thread_numbers(What what) { return kThreadNumbers[static_cast<std::size_t>(what)]; }

const Tracepoint* find_tracepoint(std::string_view name) {
  const auto found = std::ranges::find(kTracepoints, name, &Tracepoint::name);
  if (found != std::end(kTracepoints)) return &*found;
  if (name.starts_with(kOneSyscall.name)) return &kOneSyscall;
  if (name.starts_with(kOneReturn.name)) return &kOneReturn;
  return nullptr;
}

std::span<const Told> what_is_told() { return kTold; }

}  // namespace kutrace::read
