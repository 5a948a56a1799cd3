// SPDX-License-Identifier: BSD-3-Clause
// The kernel's bytes to messages.
#include "support/perfetto_file.h"

#include <zlib.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "emit/stream/binary.h"
#include "emit/stream/protobuf.h"
#include "format/perfetto_fields.h"
#include "support/kernel_bytes.h"

namespace kutrace::test {

namespace {

namespace f = perfetto;
using emit::Protobuf;

constexpr f::FieldNumber kDescribedFault = 70'000;
constexpr f::FieldNumber kErrorCode = 5;  // as the descriptor says
constexpr Ns kMonoBehindBoot = 1'000'000'000;
constexpr Ns kRawBehindBoot = 2'000'000'000;
constexpr Ns kWallAheadOfBoot = 1'700'000'000'000'000'000;

// Where a field stands in the kernel's bytes, and its number in the message.
struct Field {
  std::size_t offset;
  std::size_t size;  // 0: a text that stands elsewhere
  f::FieldNumber number;
  bool is_text = false;
};

struct Message {
  f::FieldNumber number;
  std::vector<Field> fields;
};

const Message& message_of(ForeignId id) {
  static const std::map<ForeignId, Message> messages = {
      {ForeignId::kSwitch,
       {f::ftrace_event::kSchedSwitch,
        {{8, 16, f::sched_switch::kPrevComm, true},
         {24, 4, f::sched_switch::kPrevPid},
         {32, 8, f::sched_switch::kPrevState},
         {40, 16, f::sched_switch::kNextComm, true},
         {56, 4, f::sched_switch::kNextPid}}}},
      {ForeignId::kWaking,
       {f::ftrace_event::kSchedWaking,
        {{8, 16, f::sched_waking::kComm, true}, {24, 4, f::sched_waking::kPid}}}},
      {ForeignId::kFork,
       {f::ftrace_event::kSchedProcessFork,
        {{8, 0, f::sched_process::kParentComm, true},
         {12, 4, f::sched_process::kParentPid},
         {16, 0, f::sched_process::kChildComm, true},
         {20, 4, f::sched_process::kChildPid}}}},
      {ForeignId::kEnter,
       {f::ftrace_event::kSysEnter,
        {{8, 8, f::raw_syscall::kId},
         {16, 8, f::raw_syscall::kArgs},
         {24, 8, f::raw_syscall::kArgs},
         {32, 8, f::raw_syscall::kArgs},
         {40, 8, f::raw_syscall::kArgs},
         {48, 8, f::raw_syscall::kArgs},
         {56, 8, f::raw_syscall::kArgs}}}},
      {ForeignId::kExit,
       {f::ftrace_event::kSysExit, {{8, 8, f::raw_syscall::kId}, {16, 8, f::raw_syscall::kRet}}}},
      {ForeignId::kIrq,
       {f::ftrace_event::kIrqHandlerEntry,
        {{8, 4, f::irq_handler::kIrq}, {12, 0, f::irq_handler::kName, true}}}},
      {ForeignId::kIrqEnd,
       {f::ftrace_event::kIrqHandlerExit,
        {{8, 4, f::irq_handler::kIrq}, {12, 4, f::irq_handler::kRet}}}},
      {ForeignId::kSoftirq, {f::ftrace_event::kSoftirqEntry, {{8, 4, f::softirq::kVec}}}},
      {ForeignId::kSoftirqEnd, {f::ftrace_event::kSoftirqExit, {{8, 4, f::softirq::kVec}}}},
      {ForeignId::kFault, {kDescribedFault, {{24, 8, kErrorCode}}}},
  };
  return messages.at(id);
}

void put_fields(Protobuf& out, const Message& message, std::string_view bytes) {
  for (const Field& field : message.fields) {
    if (field.is_text) {
      out.text(field.number, text_at(bytes, field.offset, field.size));
    } else if (field.size == 4) {
      out.signed_number(field.number, number_at<std::int32_t>(bytes, field.offset));
    } else {
      out.signed_number(field.number, number_at<std::int64_t>(bytes, field.offset));
    }
  }
}

// An event that Perfetto has no message for, in its older form.
void put_generic_fault(Protobuf& out, std::string_view bytes) {
  const auto generic = out.begin(f::ftrace_event::kGeneric);
  out.text(f::generic_event::kName, "page_fault_user");
  const auto field = out.begin(f::generic_event::kField);
  out.text(f::generic_event::kFieldName, "error_code");
  out.signed_number(f::generic_event::kUnsigned, number_at<std::int64_t>(bytes, 24));
  out.end(field);
  out.end(generic);
}

bool is_interrupt(ForeignId id) { return id >= ForeignId::kIrq && id <= ForeignId::kSoftirqEnd; }

class Packets {
 public:
  Packets(const ForeignTrace& trace, const PerfettoOptions& options) : options_(options) {
    front();
    std::map<CpuId, std::vector<ForeignEvent>> cpus;
    for (const ForeignEvent& event : trace.events()) {
      auto& of_cpu = cpus[event.cpu];
      if (of_cpu.size() >= options.bundle || event.lost != 0) flush(event.cpu, of_cpu);
      of_cpu.push_back(event);
    }
    for (auto& [cpu, events] : cpus) flush(cpu, events);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  // The trace's times are those of CLOCK_MONOTONIC.
  std::uint64_t clock_of(Ns time) const {
    return static_cast<std::uint64_t>(options_.clock == f::ftrace_bundle::kMonoRaw
                                          ? time + kMonoBehindBoot - kRawBehindBoot
                                          : time + kMonoBehindBoot);
  }

  void front() {
    constexpr Ns kMoment = 3'000'000'000;
    Protobuf out;
    auto packet = out.begin(f::trace::kPacket);
    const auto snapshot = out.begin(f::trace_packet::kClockSnapshot);
    for (const auto& [id, time] :
         {std::pair(f::clock_snapshot::kBoottime, kMoment),
          std::pair(f::clock_snapshot::kMonotonic, kMoment - kMonoBehindBoot),
          std::pair(f::clock_snapshot::kMonotonicRaw, kMoment - kRawBehindBoot),
          std::pair(f::clock_snapshot::kRealtime, kMoment + kWallAheadOfBoot)}) {
      const auto clock = out.begin(f::clock_snapshot::kClocks);
      out.number(f::clock_snapshot::kClockId, id);
      out.signed_number(f::clock_snapshot::kClockTimestamp, time);
      out.end(clock);
    }
    out.end(snapshot);
    out.end(packet);
    packet = out.begin(f::trace::kPacket);
    const auto info = out.begin(f::trace_packet::kSystemInfo);
    const auto uname = out.begin(f::system_info::kUtsname);
    out.text(f::system_info::kRelease, "6.1.0");
    out.text(f::system_info::kMachine, "x86_64");
    out.end(uname);
    out.end(info);
    out.end(packet);
    packet = out.begin(f::trace::kPacket);
    const auto tree = out.begin(f::trace_packet::kProcessTree);
    for (const auto& [tid, process, name] :
         {std::tuple(10, 10, "server"), std::tuple(20, 20, "client"),
          std::tuple(11, 10, "other")}) {
      const auto thread = out.begin(f::process_tree::kThreads);
      out.number(f::process_tree::kThreadTid, static_cast<std::uint64_t>(tid));
      out.text(f::process_tree::kThreadName, name);
      out.number(f::process_tree::kThreadTgid, static_cast<std::uint64_t>(process));
      out.end(thread);
    }
    out.end(tree);
    out.end(packet);
    bytes_ += out.bytes();
  }

  void flush(CpuId cpu, std::vector<ForeignEvent>& events) {
    if (events.empty()) return;
    Protobuf one;
    const auto packet = one.begin_long(f::trace::kPacket);
    one.number(f::trace_packet::kTrustedPacketSequenceId, 3);
    const auto bundle = one.begin_long(f::trace_packet::kFtraceEvents);
    one.number(f::ftrace_bundle::kCpu, cpu);
    if (options_.clock != 0) one.number(f::ftrace_bundle::kClock, options_.clock);
    if (events.front().lost != 0) one.number(f::ftrace_bundle::kLostEvents, 1);
    for (const ForeignEvent& event : events)
      if (!is_compact(event)) put(one, event);
    if (options_.compact) put_compact(one, events);
    if (options_.described) describe(one);
    one.end(bundle);
    one.end(packet);
    events.clear();
    append(one.bytes());
  }

  bool is_compact(const ForeignEvent& event) const {
    return options_.compact &&
           (id_of(event) == ForeignId::kSwitch || id_of(event) == ForeignId::kWaking);
  }

  void append(std::string_view packet) {
    if (!options_.packed) {
      bytes_ += packet;
      return;
    }
    std::string packed(compressBound(packet.size()), '\0');
    uLongf size = packed.size();
    compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(packet.data()), packet.size());
    packed.resize(size);
    Protobuf out;
    const auto outer = out.begin_long(f::trace::kPacket);
    out.text(f::trace_packet::kCompressedPackets, packed);
    out.end(outer);
    bytes_ += out.bytes();
  }

  void put(Protobuf& one, const ForeignEvent& event) {
    const ForeignId id = id_of(event);
    const bool knows = options_.has_interrupted || !is_interrupt(id);
    const auto outer = one.begin(f::ftrace_bundle::kEvent);
    one.number(f::ftrace_event::kTimestamp, clock_of(event.time));
    one.number(f::ftrace_event::kPid, knows ? number_at<std::uint32_t>(event.bytes, 4) : 0);
    const Message& message = message_of(id);
    if (id == ForeignId::kFault && !options_.described) {
      put_generic_fault(one, event.bytes);
    } else {
      const auto inner = one.begin(message.number);
      put_fields(one, message, event.bytes);
      one.end(inner);
    }
    one.end(outer);
  }

  void put_compact(Protobuf& one, const std::vector<ForeignEvent>& events) {
    std::map<f::FieldNumber, std::string> columns;
    std::vector<std::string> names;
    std::uint64_t last_switch = 0;
    std::uint64_t last_waking = 0;
    const auto add = [&columns](f::FieldNumber column, std::uint64_t value) {
      emit::append_varint(columns[column], value);
    };
    for (const ForeignEvent& event : events) {
      if (!is_compact(event)) continue;
      const bool is_switch = id_of(event) == ForeignId::kSwitch;
      std::uint64_t& last = is_switch ? last_switch : last_waking;
      const std::uint64_t time = clock_of(event.time);
      add(is_switch ? f::compact_sched::kSwitchTimestamp : f::compact_sched::kWakingTimestamp,
          time - std::exchange(last, time));
      add(is_switch ? f::compact_sched::kSwitchNextComm : f::compact_sched::kWakingComm,
          names.size());
      names.emplace_back(text_at(event.bytes, is_switch ? 40 : 8, 16));
      if (is_switch) {
        add(f::compact_sched::kSwitchPrevState, number_at<std::uint64_t>(event.bytes, 32));
        add(f::compact_sched::kSwitchNextPid, number_at<std::uint32_t>(event.bytes, 56));
        add(f::compact_sched::kSwitchNextPrio, 120);
      } else {
        add(f::compact_sched::kWakingPid, number_at<std::uint32_t>(event.bytes, 24));
        add(f::compact_sched::kWakingTargetCpu, event.cpu);
        add(f::compact_sched::kWakingPrio, 120);
      }
    }
    const auto compact = one.begin_long(f::ftrace_bundle::kCompactSched);
    for (const std::string& name : names) one.text(f::compact_sched::kInternTable, name);
    for (const auto& [column, numbers] : columns) one.text(column, numbers);
    one.end(compact);
  }

  // Once in a trace would do.
  static void describe(Protobuf& one) {
    Protobuf descriptor;
    descriptor.text(f::descriptor::kName, "page_fault_user");
    const auto field = descriptor.begin(f::descriptor::kField);
    descriptor.text(f::descriptor::kFieldName, "error_code");
    descriptor.number(f::descriptor::kFieldNumber, kErrorCode);
    descriptor.end(field);
    const auto outer = one.begin(f::ftrace_bundle::kGenericDescriptor);
    one.number(f::ftrace_bundle::kDescriptorField, kDescribedFault);
    one.text(f::ftrace_bundle::kDescriptorBytes, descriptor.bytes());
    one.end(outer);
  }

  PerfettoOptions options_;
  std::string bytes_;
};

}  // namespace

std::string perfetto_file(const ForeignTrace& trace, const PerfettoOptions& options) {
  return Packets(trace, options).bytes();
}

}  // namespace kutrace::test
