// SPDX-License-Identifier: BSD-3-Clause
// One example of each rule that repairs what events contradict, as doc/spans.md shows it.
#include <catch2/catch.hpp>
#include <functional>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "kutrace/labels.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

struct Example {
  const char* rule;
  std::function<void(TraceBuilder&)> events;  // of CPU 0, on which thread 10 runs; 125 ticks: 2 us
  Lines spans;
  TraceBuilder::Style style = TraceBuilder::Style::kUpstream;
};

const Example kExamples[] = {
    {"missing_return",
     [](TraceBuilder& b) { b.at(125, kRead).at(250, kWrite); },
     {"user 0+2000 server", "syscall 2000+2000 read", "syscall 4000+12000 write"}},
    {"fault_failed",
     [](TraceBuilder& b) { b.at(125, kRead).at(250, kFault).at(375, kRead | kReturn, 0xfff2); },
     {"user 0+2000 server", "syscall 2000+2000 read", "fault 4000+2000 page_fault",
      "user 6000+10000 server"}},
    {"signal_without_fault",
     [](TraceBuilder& b) { b.at(125, kFault | kReturn, 11); },
     {"user 0+16000 server"}},
    {"return_without_call",
     [](TraceBuilder& b) {
       b.at(63, kWrite).at(125, kWrite | kReturn, 1).at(250, kRead | kReturn, 5);
     },
     {"user 0+1008 server", "syscall 1008+992 write=1", "syscall 2000+2000 read=5",
      "user 4000+12000 server"}},
    {"call_not_reported",
     [](TraceBuilder& b) {
       b.at(63, kWrite).at(125, kWrite | kReturn, 1).at(250, kRead | kReturn, 5);
     },
     {"user 0+1008 server", "syscall 1008+992 write=1", "user 2000+2000 server",
      "user 4000+12000 server"},
     TraceBuilder::Style::kOwn},
    {"began_before_start",
     [](TraceBuilder& b) { b.at(125, kRead | kReturn, 5); },
     {"syscall 0+2000 read=5", "user 2000+14000 server"}},
    {"return_number_lost",
     [](TraceBuilder& b) { b.at(125, kRead).at(250, kSched | kReturn); },
     {"user 0+2000 server", "syscall 2000+2000 read=0", "user 4000+12000 server"}},
    {"missing_sched_return",
     [](TraceBuilder& b) { b.at(125, kSched).at(250, ev::kUSERPID, 20).at(375, kRead); },
     {"user 0+2000 server", "sched 2000+2000 -sched-", "user 4000+2000 client",
      "syscall 6000+10000 read"}},
    {"resumed_in_user",
     [](TraceBuilder& b) {
       b.at(125, kRead).at(250, ev::kUSERPID, 20).at(375, ev::kUSERPID, 10).at(500, kWrite);
     },
     {"user 0+2000 server", "syscall 2000+2000 read", "user 4000+2000 client",
      "user 6000+2000 server", "syscall 8000+8000 write"}},
    {"bh_closes_reschedule",
     [](TraceBuilder& b) { b.at(125, kReschedule).at(250, ev::kBottomHalf | kReturn); },
     {"user 0+2000 server", "irq 2000+2000 reschedule_ipi=0", "user 4000+12000 server"}},
    {"switch_to_running_thread",
     [](TraceBuilder& b) { b.at(125, ev::kUSERPID, 20).at(250, ev::kUSERPID, 20); },
     {"user 0+2000 server", "user 2000+14000 client"}},
    {"block_pid_mismatch",
     [](TraceBuilder& b) { b.at(125, kRead).new_block(250, 20).at(375, kWrite); },
     {"user 0+2000 server", "loss 2000+2000 -loss-(6)", "user 4000+2000 client",
      "syscall 6000+10000 write"}},
    {"unseen_switch",
     [](TraceBuilder& b) { b.at(125, kRead).at(250, ev::kUSERPID, 20 | KUTRACE_SWITCH_UNSEEN); },
     {"user 0+2000 server", "loss 2000+2000 -loss-(9)", "user 4000+12000 client"}},
    {"event_of_group_off",
     [](TraceBuilder& b) {
       b.fact("events", "syscalls,sched").fact("groups_change", "0 -syscalls").at(125, kRead);
     },
     {"user 0+16000 server"}},
    {"function_begin_not_seen",
     [](TraceBuilder& b) {
       b.at(125, ev::kFUNCTION_ENTER, KUTRACE_FIRST_FUNCTION);
       b.at(250, ev::kFUNCTION_LEAVE, KUTRACE_FIRST_FUNCTION);
       b.at(375, ev::kFUNCTION_LEAVE, KUTRACE_FIRST_FUNCTION);
     },
     {"user 0+16000 server"}},
    {"functions_left_out",
     [](TraceBuilder& b) { b.at(125, ev::kFUNCTIONS_LEFT_OUT, 1); },
     {"user 0+16000 server"}},
    {"function_end_not_seen",
     [](TraceBuilder& b) {
       b.at(125, ev::kFUNCTION_ENTER, KUTRACE_FIRST_FUNCTION);
       b.at(250, ev::kFUNCTION_ENTER, 1u << KUTRACE_FUNCTION_DEPTH_SHIFT | KUTRACE_FIRST_FUNCTION);
       b.at(375, ev::kFUNCTION_LEAVE, KUTRACE_FIRST_FUNCTION);
     },
     {"user 0+16000 server"}},
    {"fork_is_wakeup",
     [](TraceBuilder& b) {
       b.at(125, kClone).at(250, kClone | kReturn, 20).at(375, ev::kUSERPID, 20);
     },
     {"user 0+2000 server", "syscall 2000+2000 clone=20", "user 4000+2000 server",
      "user 6000+10000 client"}},
    {"late_store",
     [](TraceBuilder& b) { b.folded(250, kTimer, 0, 125, 0).at(125, kRead).at(500, kTimer); },
     {"user 0+2000 server", "syscall 2000+2000 read", "irq 4000+2000 local_timer=0",
      "syscall 6000+2000 read", "irq 8000+8000 local_timer"}},
    {"time_clamped",
     [](TraceBuilder& b) { b.folded(125, kRead, 0, 125, 0).at(200, kTimer); },
     {"user 0+2000 server", "syscall 2000+2000 read=0", "irq 4000+12000 local_timer"}},
    {"left_unseen",
     [](TraceBuilder& b) {
       b.at(63, kRead).at(500, ev::kUSERPID, 20).cpu(1, 0).at(125, ev::kUSERPID, 10);
     },
     {"user 0+1008 server", "syscall 1008+992 read", "loss 2000+6000 -loss-(9)",
      "user 8000+8000 client"}},
    {"stack_overflow",
     [](TraceBuilder& b) {
       for (Ticks i = 1; i <= 8; ++i) b.at(100 * i, i % 2 == 0 ? 0x40e : 0x40d);
     },
     {"user 0+1600 server", "fault 1600+1600 gp", "fault 3200+1600 page_fault",
      "fault 4800+1600 gp", "fault 6400+1600 page_fault", "fault 8000+1600 gp",
      "fault 9600+1600 page_fault", "fault 11200+1600 gp", "fault 12800+3200 page_fault"}},
    {"c_exit_measured",
     [](TraceBuilder& b) {
       b.at(1, ev::kUSERPID, 0).at(125, ev::kMWAIT, 0x40).at(500, kReschedule);
       b.cpu(1, 20).at(375, ev::kSEND_IPI, 0);
     },
     {"user 0+16 server", "idle 16+1984 -idle-", "idle_low 2000+4000 -idle-(64)",
      "c_exit 6000+2000 -c-exit-(64)", "irq 8000+8000 reschedule_ipi"}},
};

TEST_CASE("each rule does what its example shows, and counts it") {
  for (const Example& example : kExamples) {
    TraceBuilder b(example.style);
    b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 1, "write");
    b.name(kind::kSYSCALL_NAME, 56, "clone").name(kind::kIRQ_NAME, 0xec, "local_timer");
    b.name(kind::kIRQ_NAME, 0xfd, "reschedule_ipi").name(kind::kTRAP_NAME, 14, "page_fault");
    b.name(kind::kTRAP_NAME, 13, "gp").name(kind::kPID_NAME, 10, "server");
    b.name(kind::kPID_NAME, 20, "client").cpu(0, 10);
    example.events(b);
    Replay r;
    replay(b.file(1000), r);
    CAPTURE(example.rule);
    CHECK(r.timeline(0) == example.spans);
    Counters::Named counted = r.info.counters.named(Severity::kRepair);
    counted.merge(r.info.counters.named(Severity::kNote));
    CHECK(counted == Counters::Named{{example.rule, 1}});
  }
}

}  // namespace
}  // namespace kutrace::test
