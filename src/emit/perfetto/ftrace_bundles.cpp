// SPDX-License-Identifier: BSD-3-Clause
// Bundles of ftrace events.
#include "emit/perfetto/ftrace_bundles.h"

#include "format/perfetto_fields.h"
#include "kutrace/abi.h"

namespace kutrace::emit {

namespace {

namespace f = perfetto;

constexpr unsigned kUsualPriority = 120;
constexpr std::size_t kCommLength = 15;
constexpr std::size_t kLongestIrqName = 255;  // an event is less than 16 KB

// TASK_RUNNING, TASK_INTERRUPTIBLE, TASK_UNINTERRUPTIBLE.
std::uint64_t state_of(LeftFor left) {
  return left == LeftFor::kReady ? 0 : left == LeftFor::kSleep ? 1 : 2;
}

}  // namespace

// One event of a bundle, which is over when this is gone.
class FtraceBundles::Event {
 public:
  Event(FtraceBundles& all, CpuId cpu, Ns time, Pid pid, unsigned kind)
      : all_(all), bundle_(all.of(cpu)) {
    event_ = bundle_.packet.begin(f::ftrace_bundle::kEvent);
    bundle_.packet.signed_number(f::ftrace_event::kTimestamp, all.base_ + time);
    bundle_.packet.number(f::ftrace_event::kPid, static_cast<std::uint32_t>(pid));
    inner_ = bundle_.packet.begin(kind);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    bundle_.packet.end(inner_);
    bundle_.packet.end(event_);
    if (bundle_.packet.bytes().size() >= kFull) all_.hand_over(bundle_);
  }
  Protobuf& fields() { return bundle_.packet; }

 private:
  FtraceBundles& all_;
  Bundle& bundle_;
  Protobuf::Message event_{};
  Protobuf::Message inner_{};
};

// A thread that slept all the time left its call on no CPU that is known. An event has one.
FtraceBundles::Bundle& FtraceBundles::of(CpuId cpu) {
  if (cpu == kNoCpu) cpu = 0;
  if (cpu >= bundles_.size()) bundles_.resize(cpu + std::size_t{1});
  Bundle& bundle = bundles_[cpu];
  if (bundle.packet.bytes().empty()) {
    bundle.outer = bundle.packet.begin_long(f::trace::kPacket);
    bundle.packet.number(f::trace_packet::kTrustedPacketSequenceId, 2);
    bundle.inner = bundle.packet.begin_long(f::trace_packet::kFtraceEvents);
    bundle.packet.number(f::ftrace_bundle::kCpu, cpu);
  }
  return bundle;
}

void FtraceBundles::hand_over(Bundle& bundle) {
  bundle.packet.end(bundle.inner);
  bundle.packet.end(bundle.outer);
  take_(bundle.packet.bytes());
  bundle.packet.clear();
}

void FtraceBundles::finish() {
  for (Bundle& bundle : bundles_) {
    if (!bundle.packet.bytes().empty()) hand_over(bundle);
  }
}

std::string_view FtraceBundles::comm(Pid pid, NameId name) const {
  return pid == 0 ? "swapper" : std::string_view(names_.text(name)).substr(0, kCommLength);
}

void FtraceBundles::add(const Switch& told) {
  Event event(*this, told.cpu, told.time, told.previous, f::ftrace_event::kSchedSwitch);
  Protobuf& fields = event.fields();
  fields.text(f::sched_switch::kPrevComm, comm(told.previous, told.previous_name));
  fields.number(f::sched_switch::kPrevPid, static_cast<std::uint32_t>(told.previous));
  fields.number(f::sched_switch::kPrevPrio, kUsualPriority);
  fields.number(f::sched_switch::kPrevState, told.previous == 0 ? 0 : state_of(told.left));
  fields.text(f::sched_switch::kNextComm, comm(told.next, told.next_name));
  fields.number(f::sched_switch::kNextPid, static_cast<std::uint32_t>(told.next));
  fields.number(f::sched_switch::kNextPrio, kUsualPriority);
}

void FtraceBundles::add(const Waking& waking) {
  Event event(*this, waking.cpu, waking.time, waking.waker, f::ftrace_event::kSchedWaking);
  Protobuf& fields = event.fields();
  fields.text(f::sched_waking::kComm, comm(waking.pid, waking.name));
  fields.number(f::sched_waking::kPid, static_cast<std::uint32_t>(waking.pid));
  fields.number(f::sched_waking::kPrio, kUsualPriority);
  fields.number(f::sched_waking::kSuccess, 1);
  fields.number(f::sched_waking::kTargetCpu, waking.target);
}

void FtraceBundles::add_call(const Call& call, unsigned number, CpuId first) {
  Event(*this, first, call.begin, call.pid, f::ftrace_event::kSysEnter)
      .fields()
      .number(f::raw_syscall::kId, number);
}

void FtraceBundles::add_return(const SyscallReturn& told) {
  Event exit(*this, told.cpu, told.time, told.pid, f::ftrace_event::kSysExit);
  exit.fields().number(f::raw_syscall::kId, told.number);
  if (told.result) exit.fields().signed_number(f::raw_syscall::kRet, *told.result);
}

void FtraceBundles::add_irq(const Call& call) {
  const std::uint64_t number = call.event & 0xff;
  {
    Event entry(*this, call.cpu, call.begin, 0, f::ftrace_event::kIrqHandlerEntry);
    entry.fields().number(f::irq_handler::kIrq, number);
    entry.fields().text(f::irq_handler::kName,
                        std::string_view(names_.text(call.name)).substr(0, kLongestIrqName));
  }
  Event exit(*this, call.cpu, call.end, 0, f::ftrace_event::kIrqHandlerExit);
  exit.fields().number(f::irq_handler::kIrq, number);
  exit.fields().number(f::irq_handler::kRet, 1);
}

void FtraceBundles::add_softirq(const Call& call) {
  Event(*this, call.cpu, call.begin, 0, f::ftrace_event::kSoftirqEntry)
      .fields()
      .number(f::softirq::kVec, call.arg);
  Event(*this, call.cpu, call.end, 0, f::ftrace_event::kSoftirqExit)
      .fields()
      .number(f::softirq::kVec, call.arg);
}

void FtraceBundles::add_idle(CpuId cpu, Ns time, std::int32_t state) {
  Event event(*this, cpu, time, 0, f::ftrace_event::kCpuIdle);
  event.fields().number(f::cpu_value::kState, static_cast<std::uint32_t>(state));
  event.fields().number(f::cpu_value::kCpuId, cpu);
}

void FtraceBundles::add_frequency(CpuId cpu, Ns time, std::uint32_t mhz) {
  Event event(*this, cpu, time, 0, f::ftrace_event::kCpuFrequency);
  event.fields().number(f::cpu_value::kState, std::uint64_t{mhz} * 1000);
  event.fields().number(f::cpu_value::kCpuId, cpu);
}

}  // namespace kutrace::emit
