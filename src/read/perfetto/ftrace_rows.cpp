// SPDX-License-Identifier: BSD-3-Clause
// The table of messages.
#include "read/perfetto/ftrace_rows.h"

#include <algorithm>
#include <string_view>

#include "read/perfetto/wire_fields.h"

namespace kutrace::read {

namespace {

namespace f = perfetto;
namespace e = perfetto::ftrace_event;

struct KnownRow {
  f::FieldNumber field;
  std::string_view tracepoint;
  std::array<f::FieldNumber, 3> numbers = {};
  std::array<f::FieldNumber, 2> texts = {};
};

constexpr KnownRow kKnown[] = {
    {e::kSchedSwitch,
     "sched_switch",
     {f::sched_switch::kPrevPid, f::sched_switch::kPrevState, f::sched_switch::kNextPid},
     {f::sched_switch::kPrevComm, f::sched_switch::kNextComm}},
    {e::kSchedWaking, "sched_waking", {f::sched_waking::kPid}, {f::sched_waking::kComm}},
    {e::kSchedWakeup, "sched_wakeup", {f::sched_waking::kPid}, {f::sched_waking::kComm}},
    {e::kSchedWakeupNew, "sched_wakeup_new", {f::sched_waking::kPid}, {f::sched_waking::kComm}},
    {e::kSchedProcessFork,
     "sched_process_fork",
     {f::sched_process::kParentPid, f::sched_process::kChildPid},
     {f::sched_process::kParentComm, f::sched_process::kChildComm}},
    {e::kSchedProcessExec,
     "sched_process_exec",
     {f::sched_process::kExecPid, f::sched_process::kExecOldPid}},
    {e::kSchedProcessExit,
     "sched_process_exit",
     {f::sched_process::kExitPid},
     {f::sched_process::kExitComm}},
    {e::kTaskNewtask, "task_newtask", {f::task::kPid, f::task::kCloneFlags}, {f::task::kComm}},
    {e::kTaskRename, "task_rename", {f::task::kPid}, {f::task::kOldComm, f::task::kNewComm}},
    {e::kSysEnter, "sys_enter", {f::raw_syscall::kId, f::raw_syscall::kArgs}},
    {e::kSysExit, "sys_exit", {f::raw_syscall::kId, f::raw_syscall::kRet}},
    {e::kIrqHandlerEntry, "irq_handler_entry", {f::irq_handler::kIrq}, {f::irq_handler::kName}},
    {e::kIrqHandlerExit, "irq_handler_exit", {f::irq_handler::kIrq, f::irq_handler::kRet}},
    {e::kSoftirqEntry, "softirq_entry", {f::softirq::kVec}},
    {e::kSoftirqExit, "softirq_exit", {f::softirq::kVec}},
    {e::kLocalTimerEntry, "local_timer_entry", {f::local_timer::kVector}},
    {e::kLocalTimerExit, "local_timer_exit", {f::local_timer::kVector}},
    {e::kIpiEntry, "ipi_entry", {}, {f::ipi::kReason}},
    {e::kIpiExit, "ipi_exit", {}, {f::ipi::kReason}},
    {e::kIpiRaise, "ipi_raise"},
    {e::kCpuIdle, "cpu_idle", {f::cpu_value::kState, f::cpu_value::kCpuId}},
    {e::kCpuFrequency, "cpu_frequency", {f::cpu_value::kState, f::cpu_value::kCpuId}},
};

// Of a descriptor's field its name and number.
struct DescribedField {
  std::string_view name;
  f::FieldNumber number = 0;
};

DescribedField described_field(std::span<const std::byte> bytes) {
  DescribedField found;
  for (WireFields fields(bytes); fields.next();) {
    if (fields->number == f::descriptor::kFieldName) found.name = fields->text();
    if (fields->number == f::descriptor::kFieldNumber)
      found.number = static_cast<f::FieldNumber>(fields->value);
  }
  return found;
}

// Where the tracepoint has this field, its place there gets the number.
template <std::size_t kCount>
void place(const std::array<std::string_view, kCount>& names, const DescribedField& field,
           std::array<f::FieldNumber, kCount>& numbers) {
  const auto found = std::ranges::find(names, field.name);
  if (found == names.end() || field.name.empty()) return;
  numbers[static_cast<std::size_t>(found - names.begin())] = field.number;
}

}  // namespace

FtraceRows::FtraceRows() {
  for (const KnownRow& row : kKnown)
    rows_[row.field] = {find_tracepoint(row.tracepoint), row.numbers, row.texts};
}

void FtraceRows::describe(f::FieldNumber field, std::span<const std::byte> descriptor) {
  if (field < e::kFirstDescribed) return;
  FtraceRow row;
  for (WireFields fields(descriptor); fields.next();)
    if (fields->number == f::descriptor::kName) row.tracepoint = find_tracepoint(fields->text());
  if (row.tracepoint == nullptr) return;
  for (WireFields fields(descriptor); fields.next();) {
    if (fields->number != f::descriptor::kField) continue;
    const DescribedField told = described_field(fields->bytes);
    place(row.tracepoint->numbers, told, row.numbers);
    place(row.tracepoint->texts, told, row.texts);
  }
  rows_[field] = row;
}

const FtraceRow* FtraceRows::find(f::FieldNumber field) const {
  const auto found = rows_.find(field);
  return found == rows_.end() ? nullptr : &found->second;
}

}  // namespace kutrace::read
