// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the fields of Perfetto's messages that are written or read, by the names of its .proto
// files (protos/perfetto/trace): message, then field. And the threads that stand in an export where
// nobody knows, or tells, who ran.
#pragma once

#include "base/units.h"

namespace kutrace {

constexpr Pid kLostThread = 0x7fff'fff0;
constexpr Pid kHiddenThread = 0x7fff'fff1;

namespace perfetto {

using FieldNumber = unsigned;

namespace trace {
constexpr FieldNumber kPacket = 1;
}
namespace trace_packet {
constexpr FieldNumber kFtraceEvents = 1;
constexpr FieldNumber kProcessTree = 2;
constexpr FieldNumber kClockSnapshot = 6;
constexpr FieldNumber kTimestamp = 8;
constexpr FieldNumber kProcessStats = 9;
constexpr FieldNumber kTrustedPacketSequenceId = 10;
constexpr FieldNumber kTrackEvent = 11;
constexpr FieldNumber kInternedData = 12;
constexpr FieldNumber kSequenceFlags = 13;
constexpr FieldNumber kPreviousPacketDropped = 42;
constexpr FieldNumber kSystemInfo = 45;
constexpr FieldNumber kCompressedPackets = 50;
constexpr FieldNumber kTrackDescriptor = 60;
constexpr FieldNumber kMachineId = 98;
}  // namespace trace_packet
namespace clock_snapshot {
constexpr FieldNumber kClocks = 1;
constexpr FieldNumber kClockId = 1;
constexpr FieldNumber kClockTimestamp = 2;
// Numbers of clocks that every reader knows.
enum Clock : unsigned { kRealtime = 1, kMonotonic = 3, kMonotonicRaw = 5, kBoottime = 6 };
}  // namespace clock_snapshot
namespace process_tree {
constexpr FieldNumber kProcesses = 1;
constexpr FieldNumber kThreads = 2;
constexpr FieldNumber kProcessPid = 1;
constexpr FieldNumber kProcessPpid = 2;
constexpr FieldNumber kProcessCmdline = 3;
constexpr FieldNumber kThreadTid = 1;
constexpr FieldNumber kThreadName = 2;
constexpr FieldNumber kThreadTgid = 3;
}  // namespace process_tree
namespace process_stats {
constexpr FieldNumber kProcesses = 1;
constexpr FieldNumber kProcessPid = 1;
constexpr FieldNumber kProcessThreads = 11;
constexpr FieldNumber kThreadTid = 1;
}  // namespace process_stats
namespace system_info {
constexpr FieldNumber kUtsname = 1;
constexpr FieldNumber kSysname = 1;
constexpr FieldNumber kVersion = 2;
constexpr FieldNumber kRelease = 3;
constexpr FieldNumber kMachine = 4;
constexpr FieldNumber kTracingService = 4;
}  // namespace system_info
namespace ftrace_bundle {
constexpr FieldNumber kCpu = 1;
constexpr FieldNumber kEvent = 2;
constexpr FieldNumber kLostEvents = 3;
constexpr FieldNumber kCompactSched = 4;
constexpr FieldNumber kClock = 5;
constexpr FieldNumber kFtraceTimestamp = 6;
constexpr FieldNumber kBootTimestamp = 7;
constexpr FieldNumber kError = 8;
constexpr FieldNumber kErrorTimestamp = 1;
constexpr FieldNumber kGenericDescriptor = 11;
constexpr FieldNumber kDescriptorField = 1;
constexpr FieldNumber kDescriptorBytes = 2;
enum Clock : unsigned { kBoot = 0, kMonoRaw = 4 };
}  // namespace ftrace_bundle
namespace compact_sched {
constexpr FieldNumber kSwitchTimestamp = 1;
constexpr FieldNumber kSwitchPrevState = 2;
constexpr FieldNumber kSwitchNextPid = 3;
constexpr FieldNumber kSwitchNextPrio = 4;
constexpr FieldNumber kInternTable = 5;
constexpr FieldNumber kSwitchNextComm = 6;
constexpr FieldNumber kWakingTimestamp = 7;
constexpr FieldNumber kWakingPid = 8;
constexpr FieldNumber kWakingTargetCpu = 9;
constexpr FieldNumber kWakingPrio = 10;
constexpr FieldNumber kWakingComm = 11;
}  // namespace compact_sched
// Of google/protobuf/descriptor.proto.
namespace descriptor {
constexpr FieldNumber kName = 1;
constexpr FieldNumber kField = 2;
constexpr FieldNumber kFieldName = 1;
constexpr FieldNumber kFieldNumber = 3;
}  // namespace descriptor
namespace ftrace_event {
constexpr FieldNumber kTimestamp = 1;
constexpr FieldNumber kPid = 2;
constexpr FieldNumber kSchedSwitch = 4;
constexpr FieldNumber kCpuFrequency = 11;
constexpr FieldNumber kCpuIdle = 13;
constexpr FieldNumber kSchedWakeup = 17;
constexpr FieldNumber kSchedWaking = 20;
constexpr FieldNumber kIpiEntry = 21;
constexpr FieldNumber kIpiExit = 22;
constexpr FieldNumber kIpiRaise = 23;
constexpr FieldNumber kSoftirqEntry = 24;
constexpr FieldNumber kSoftirqExit = 25;
constexpr FieldNumber kIrqHandlerEntry = 36;
constexpr FieldNumber kIrqHandlerExit = 37;
constexpr FieldNumber kSchedWakeupNew = 114;
constexpr FieldNumber kTaskNewtask = 235;
constexpr FieldNumber kTaskRename = 236;
constexpr FieldNumber kSchedProcessExec = 237;
constexpr FieldNumber kSchedProcessExit = 238;
constexpr FieldNumber kSchedProcessFork = 239;
constexpr FieldNumber kGeneric = 327;
constexpr FieldNumber kSysEnter = 329;
constexpr FieldNumber kSysExit = 330;
constexpr FieldNumber kLocalTimerEntry = 559;
constexpr FieldNumber kLocalTimerExit = 560;
constexpr FieldNumber kFirstDescribed = 65536;  // by a descriptor in the trace
}  // namespace ftrace_event
namespace generic_event {
constexpr FieldNumber kName = 1;
constexpr FieldNumber kField = 2;
constexpr FieldNumber kFieldName = 1;
constexpr FieldNumber kText = 3;
constexpr FieldNumber kSigned = 4;
constexpr FieldNumber kUnsigned = 5;
}  // namespace generic_event
namespace sched_switch {
constexpr FieldNumber kPrevComm = 1;
constexpr FieldNumber kPrevPid = 2;
constexpr FieldNumber kPrevPrio = 3;
constexpr FieldNumber kPrevState = 4;
constexpr FieldNumber kNextComm = 5;
constexpr FieldNumber kNextPid = 6;
constexpr FieldNumber kNextPrio = 7;
}  // namespace sched_switch
namespace sched_waking {  // and sched_wakeup, sched_wakeup_new
constexpr FieldNumber kComm = 1;
constexpr FieldNumber kPid = 2;
constexpr FieldNumber kPrio = 3;
constexpr FieldNumber kSuccess = 4;
constexpr FieldNumber kTargetCpu = 5;
}  // namespace sched_waking
namespace sched_process {
constexpr FieldNumber kExecPid = 2;
constexpr FieldNumber kExecOldPid = 3;
constexpr FieldNumber kExitComm = 1;
constexpr FieldNumber kExitPid = 2;
constexpr FieldNumber kParentComm = 1;
constexpr FieldNumber kParentPid = 2;
constexpr FieldNumber kChildComm = 3;
constexpr FieldNumber kChildPid = 4;
}  // namespace sched_process
namespace task {
constexpr FieldNumber kPid = 1;
constexpr FieldNumber kComm = 2;        // newtask
constexpr FieldNumber kCloneFlags = 3;  // newtask
constexpr FieldNumber kOldComm = 2;     // rename
constexpr FieldNumber kNewComm = 3;     // rename
}  // namespace task
namespace cpu_value {  // cpu_idle, cpu_frequency
constexpr FieldNumber kState = 1;
constexpr FieldNumber kCpuId = 2;
}  // namespace cpu_value
namespace irq_handler {
constexpr FieldNumber kIrq = 1;
constexpr FieldNumber kName = 2;  // entry
constexpr FieldNumber kRet = 2;   // exit
}  // namespace irq_handler
namespace softirq {
constexpr FieldNumber kVec = 1;
}
namespace local_timer {
constexpr FieldNumber kVector = 1;
}
namespace ipi {
constexpr FieldNumber kReason = 1;  // entry, exit
}
namespace raw_syscall {
constexpr FieldNumber kId = 1;
constexpr FieldNumber kArgs = 2;  // enter
constexpr FieldNumber kRet = 2;   // exit
}  // namespace raw_syscall
namespace track_event {
constexpr FieldNumber kCategoryIids = 3;
constexpr FieldNumber kDebugAnnotations = 4;
constexpr FieldNumber kType = 9;
constexpr FieldNumber kNameIid = 10;
constexpr FieldNumber kTrackUuid = 11;
constexpr FieldNumber kFlowIds = 47;
enum Type : unsigned { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3 };
}  // namespace track_event
namespace debug_annotation {
constexpr FieldNumber kIntValue = 4;
constexpr FieldNumber kName = 10;
}  // namespace debug_annotation
namespace interned_data {
constexpr FieldNumber kEventCategories = 1;
constexpr FieldNumber kEventNames = 2;
constexpr FieldNumber kIid = 1;
constexpr FieldNumber kName = 2;
}  // namespace interned_data
namespace track_descriptor {
constexpr FieldNumber kUuid = 1;
constexpr FieldNumber kName = 2;
constexpr FieldNumber kThread = 4;
constexpr FieldNumber kParentUuid = 5;
constexpr FieldNumber kChildOrdering = 11;
constexpr FieldNumber kSiblingOrderRank = 12;
constexpr FieldNumber kExplicit = 3;
constexpr FieldNumber kThreadPid = 1;
constexpr FieldNumber kThreadTid = 2;
}  // namespace track_descriptor

}  // namespace perfetto

}  // namespace kutrace
