// SPDX-License-Identifier: BSD-3-Clause
// One story as ftrace, trace-cmd report and perf script print it: a server waits in a call, is
// woken from another CPU, and is interrupted.
#pragma once

#include <string_view>

namespace kutrace::test {

inline constexpr std::string_view kFtraceText = R"(# tracer: nop
#
# entries-in-buffer/entries-written: 9/12   #P:2
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          server-10      [000] .....     5.000000: sys_enter: NR 0 (3, 7ffd5000, 40, 0, 0, 0)
          server-10      [000] d..2.     5.000001: sched_switch: prev_comm=server prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          client-20      [001] d..2.     5.000003: sched_waking: comm=server pid=10 prio=120 target_cpu=000
          <idle>-0       [000] d.h2.     5.000004: irq_handler_entry: irq=24 name=eth0
          <idle>-0       [000] d.h2.     5.000005: irq_handler_exit: irq=24 ret=handled
          <idle>-0       [000] d..2.     5.000006: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=server next_pid=10 next_prio=120
          server-10      [000] .....     5.000007: sys_exit: NR 0 = 5
          server-10      [000] ..s..     5.000009: softirq_entry: vec=1 [action=TIMER]
          server-10      [000] ..s..     5.000010: softirq_exit: vec=1 [action=TIMER]
)";

inline constexpr std::string_view kTraceCmdText = R"(cpus=2
          server-10    [000]     5.000000: sys_enter:            NR 0 (3, 7ffd5000, 40, 0, 0, 0)
          server-10    [000]     5.000001: sched_switch:         server:10 [120] S ==> swapper/0:0 [120]
          client-20    [001]     5.000003: sched_waking:         server:10 [120] CPU:000
          <idle>-0     [000]     5.000004: irq_handler_entry:    irq=24 name=eth0
          <idle>-0     [000]     5.000005: irq_handler_exit:     irq=24 ret=handled
          <idle>-0     [000]     5.000006: sched_switch:         swapper/0:0 [120] R ==> server:10 [120]
          server-10    [000]     5.000007: sys_exit:             NR 0 = 5
          server-10    [000]     5.000009: softirq_entry:        vec=1 [action=TIMER]
          server-10    [000]     5.000010: softirq_exit:         vec=1 [action=TIMER]
)";

inline constexpr std::string_view kPerfText = R"(# ========
# hostname : box
# os release : 6.1.0
# arch : x86_64
# clockid: monotonic (1)
# ========
          server    10 [000]     5.000000000: raw_syscalls:sys_enter: NR 0 (3, 7ffd5000, 40, 0, 0, 0)
          server    10 [000]     5.000001000:     sched:sched_switch: prev_comm=server prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          client    20 [001]     5.000003000:     sched:sched_waking: comm=server pid=10 prio=120 target_cpu=000
         swapper     0 [000]     5.000004000:  irq:irq_handler_entry: irq=24 name=eth0
         swapper     0 [000]     5.000005000:   irq:irq_handler_exit: irq=24 ret=handled
         swapper     0 [000]     5.000006000:     sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=server next_pid=10 next_prio=120
          server 10/10 [000]     5.000007000:  raw_syscalls:sys_exit: NR 0 = 5
          server    10 [000]     5.000008000:     250000 cpu-clock:pppH:
	ffffffff81000000 do_it+0x10 ([kernel.kallsyms])

          server    10 [000]     5.000009000:      irq:softirq_entry: vec=1 [action=TIMER]
          server    10 [000]     5.000010000:       irq:softirq_exit: vec=1 [action=TIMER]
)";

}  // namespace kutrace::test
