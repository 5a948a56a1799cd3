// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the fields of Perfetto's messages that are written, by the names of its .proto files
// (protos/perfetto/trace): message, then field.
#pragma once

namespace kutrace::emit {

using FieldNumber = unsigned;

namespace perfetto {

namespace trace {
constexpr FieldNumber kPacket = 1;
}
namespace trace_packet {
constexpr FieldNumber kFtraceEvents = 1;
constexpr FieldNumber kProcessTree = 2;
constexpr FieldNumber kClockSnapshot = 6;
constexpr FieldNumber kTimestamp = 8;
constexpr FieldNumber kTrustedPacketSequenceId = 10;
constexpr FieldNumber kTrackEvent = 11;
constexpr FieldNumber kInternedData = 12;
constexpr FieldNumber kSequenceFlags = 13;
constexpr FieldNumber kSystemInfo = 45;
constexpr FieldNumber kTrackDescriptor = 60;
}  // namespace trace_packet
namespace clock_snapshot {
constexpr FieldNumber kClocks = 1;
constexpr FieldNumber kClockId = 1;
constexpr FieldNumber kClockTimestamp = 2;
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
namespace system_info {
constexpr FieldNumber kUtsname = 1;
constexpr FieldNumber kSysname = 1;
constexpr FieldNumber kVersion = 2;
constexpr FieldNumber kRelease = 3;
constexpr FieldNumber kMachine = 4;
}  // namespace system_info
namespace ftrace_bundle {
constexpr FieldNumber kCpu = 1;
constexpr FieldNumber kEvent = 2;
}  // namespace ftrace_bundle
namespace ftrace_event {
constexpr FieldNumber kTimestamp = 1;
constexpr FieldNumber kPid = 2;
constexpr FieldNumber kSchedSwitch = 4;
constexpr FieldNumber kCpuFrequency = 11;
constexpr FieldNumber kCpuIdle = 13;
constexpr FieldNumber kSchedWaking = 20;
constexpr FieldNumber kSoftirqEntry = 24;
constexpr FieldNumber kSoftirqExit = 25;
constexpr FieldNumber kIrqHandlerEntry = 36;
constexpr FieldNumber kIrqHandlerExit = 37;
constexpr FieldNumber kSysEnter = 329;
constexpr FieldNumber kSysExit = 330;
}  // namespace ftrace_event
namespace sched_switch {
constexpr FieldNumber kPrevComm = 1;
constexpr FieldNumber kPrevPid = 2;
constexpr FieldNumber kPrevPrio = 3;
constexpr FieldNumber kPrevState = 4;
constexpr FieldNumber kNextComm = 5;
constexpr FieldNumber kNextPid = 6;
constexpr FieldNumber kNextPrio = 7;
}  // namespace sched_switch
namespace sched_waking {
constexpr FieldNumber kComm = 1;
constexpr FieldNumber kPid = 2;
constexpr FieldNumber kPrio = 3;
constexpr FieldNumber kSuccess = 4;
constexpr FieldNumber kTargetCpu = 5;
}  // namespace sched_waking
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
namespace raw_syscall {
constexpr FieldNumber kId = 1;
constexpr FieldNumber kRet = 2;
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
constexpr FieldNumber kUintValue = 3;
constexpr FieldNumber kIntValue = 4;
constexpr FieldNumber kStringValue = 6;
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
}  // namespace kutrace::emit
