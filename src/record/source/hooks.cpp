// SPDX-License-Identifier: BSD-3-Clause
// The table of hooks.
#include "record/source/hooks.h"

#include <algorithm>
#include <array>

namespace kutrace::record {

namespace {

using enum EventGroup;

constexpr std::string_view kVectorEntry = "vector_entry";
constexpr std::string_view kVectorExit = "vector_exit";

constexpr auto kHooks = std::to_array<Hook>({
    {"sys_enter", kSyscalls, "system calls"},
    {"sys_exit", kSyscalls, "returns of system calls"},
    {"arguments_sys_enter", kSyscalls, "system calls"},
    {"arguments_sys_exit", kSyscalls, "returns of system calls"},
    {"irq_handler_entry", kIrqs, "device interrupts"},
    {"irq_handler_exit", kIrqs, ""},
#if defined(__aarch64__)
    {"ipi_entry", kIrqs, "interrupts of other CPUs"},
    {"ipi_exit", kIrqs, ""},
    {"ipi_raise", kIrqs, "interrupts sent to other CPUs"},
#else
    {"local_timer_entry", kIrqs, "local timer interrupts", kVectorEntry},
    {"local_timer_exit", kIrqs, "", kVectorExit},
    {"deferred_error_apic_entry", kIrqs, "deferred error interrupts", kVectorEntry},
    {"deferred_error_apic_exit", kIrqs, "", kVectorExit},
    {"irq_work_entry", kIrqs, "irq work interrupts", kVectorEntry},
    {"irq_work_exit", kIrqs, "", kVectorExit},
    {"x86_platform_ipi_entry", kIrqs, "platform interrupts", kVectorEntry},
    {"x86_platform_ipi_exit", kIrqs, "", kVectorExit},
    {"threshold_apic_entry", kIrqs, "threshold interrupts", kVectorEntry},
    {"threshold_apic_exit", kIrqs, "", kVectorExit},
    {"thermal_apic_entry", kIrqs, "thermal interrupts", kVectorEntry},
    {"thermal_apic_exit", kIrqs, "", kVectorExit},
    {"call_function_single_entry", kIrqs, "call-function-single interrupts", kVectorEntry},
    {"call_function_single_exit", kIrqs, "", kVectorExit},
    {"call_function_entry", kIrqs, "call-function interrupts", kVectorEntry},
    {"call_function_exit", kIrqs, "", kVectorExit},
    {"reschedule_entry", kIrqs, "reschedule interrupts", kVectorEntry},
    {"reschedule_exit", kIrqs, "", kVectorExit},
    {"error_apic_entry", kIrqs, "APIC error interrupts", kVectorEntry},
    {"error_apic_exit", kIrqs, "", kVectorExit},
    {"spurious_apic_entry", kIrqs, "spurious interrupts", kVectorEntry},
    {"spurious_apic_exit", kIrqs, "", kVectorExit},
    {"nmi_handler", kIrqs, "non-maskable interrupts"},
    {"ipi_send_cpu", kIrqs, "interrupts sent to one CPU"},
    {"ipi_send_cpumask", kIrqs, "interrupts sent to several CPUs"},
#endif
    {"softirq_entry", kSoftirqs, "softirqs"},
    {"softirq_exit", kSoftirqs, ""},
#if defined(__aarch64__)
    {"fault_entry", kFaults, "page faults"},
#else
    {"page_fault_user", kFaults, "page faults of user code"},
    {"page_fault_kernel", kFaults, "page faults of kernel code"},
#endif
    {"fault_return_minor", kFaults, "returns of minor page faults"},
    {"fault_return_major", kFaults, "returns of major page faults"},
    {"fault_return_signal", kFaults, "ends of page faults that fail"},
    {"signal_deliver", kFaults, "exceptions other than page faults"},
    {"sched_switch", kSched, "context switches"},
    {"stacks_sched_switch", kSched, "context switches"},
    {"sched_waking", kWakeups, "wakeups"},
    {"sched_wakeup_new", kWakeups, "wakeups of new threads"},
    {"sched_process_fork", kAlways, "names of new threads"},
    {"birth", kAlways, ""},
    {"task_newtask", kAlways, "processes of threads that the kernel makes for programs"},
    {"sched_process_exec", kAlways, "names of programs that are started"},
    {"sched_process_exit", kAlways, ""},
    {"task_rename", kAlways, "threads that rename themselves"},
    {"group_attach", kAlways, "when processes move to another control group"},
    {"group_transfer", kAlways, ""},
    {"group_birth", kAlways, ""},
    {"cpu_idle", kPower, "idle states"},
    {"cpuhp_exit", kAlways, "CPUs that come or go while it is recorded"},
    {"cpu_frequency", kPower, "frequency changes"},
    {"netif_receive_skb", kNet, "packets received"},
    {"net_dev_start_xmit", kNet, "packets sent"},
    {"whole_netif_receive_skb", kNet, "packets received"},
    {"whole_net_dev_start_xmit", kNet, "packets sent"},
    {"sample", kSamples, "program counter samples"},
    {"stacks_sample", kSamples, "program counter samples"},
    {"point_contention_begin", kLocks, "contended locks of the kernel"},
    {"point_contention_end", kLocks, ""},
    {"point_futex_wait", kLocks, "waits for futexes"},
    {"point_block_issue", kDisk, "requests to disks"},
    {"point_block_complete", kDisk, ""},
    {"point_signal_send", kSignals, "signals that are sent"},
    {"point_signal_take", kSignals, "signals that are taken"},
    {"point_fork", kProcesses, "new threads"},
    {"point_exec", kProcesses, "programs that are started"},
    {"point_exit", kProcesses, "ends of threads"},
    {"point_migrate", kMigrations, "threads that change their CPU"},
    {"point_out_of_memory", kMemory, "processes killed for lack of memory"},
    {"point_reclaim_begin", kMemory, "direct reclaim of memory"},
    {"point_reclaim_end", kMemory, ""},
    {"point_group_reclaim_begin", kMemory, "reclaim of memory in control groups"},
    {"point_group_reclaim_end", kMemory, ""},
    {"point_kswapd_wake", kMemory, "reclaim of memory in the background"},
    {"point_kswapd_sleep", kMemory, ""},
    {"point_compaction_begin", kMemory, "compaction of memory"},
    {"point_compaction_end", kMemory, ""},
    {"point_fault_user", kFaultAddresses, "addresses of page faults of user code"},
    {"point_fault_kernel", kFaultAddresses, "addresses of page faults of kernel code"},
    {"point_timer", kTimers, "timers that expire"},
    {"point_hrtimer", kTimers, "high-resolution timers that expire"},
    {"point_work_begin", kWorkqueue, "work of workqueues"},
    {"point_work_end", kWorkqueue, ""},
    {"point_socket_state", kSockets, "states of TCP sockets"},
    {"point_retransmit", kSockets, "TCP retransmits"},
    {"point_socket_send", kSockets, "bytes that sockets send"},
    {"point_socket_receive", kSockets, "bytes that sockets receive"},
    {"point_page_alloc", kPages, "pages that are allocated"},
    {"point_page_free", kPages, "pages that are freed"},
});

}  // namespace

std::span<const Hook> all_hooks() { return kHooks; }

const Hook* find_hook(std::string_view name) {
  const auto found = std::ranges::find(kHooks, name, &Hook::name);
  return found == kHooks.end() ? nullptr : &*found;
}

}  // namespace kutrace::record
