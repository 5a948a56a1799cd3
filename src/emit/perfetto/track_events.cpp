// SPDX-License-Identifier: BSD-3-Clause
// Packets of TrackEvents and of the tracks that they are on.
#include "emit/perfetto/track_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "emit/perfetto/packet.h"
#include "format/perfetto_fields.h"

namespace kutrace::emit {

namespace {

namespace f = perfetto;

constexpr std::uint64_t kStateCleared = 1;
constexpr std::uint64_t kNeedsState = 2;
constexpr std::uint64_t kRoot = 1;       // above the tracks of CPUs
constexpr std::uint64_t kFirstCpu = 16;  // tracks of CPU 0, four numbers a CPU

constexpr std::array<const char*, static_cast<std::size_t>(TrackEvents::Category::kCount)>
    kCategories = {"user",     "kthread", "syscall", "fault", "irq",  "softirq", "sched", "idle",
                   "idle_low", "c_exit",  "hidden",  "loss",  "wait", "lock",    "queue", "rpc",
                   "message",  "sample",  "mark",    "point", "ipi",  "function"};
constexpr std::array kOfThread = {"waits",   "faults",  "scheduler", "calls",
                                  "moments", "samples", "functions"};
constexpr std::array kOfCpu = {"", " calls", " interprocessor interrupts"};

struct Track {
  std::uint64_t number = 0;
  std::uint64_t parent = 0;
  std::string name;
  std::int32_t rank = 0;
  bool ordered = false;  // its children
};

void describe_track(const Track& track, const TakeBytes& take) {
  give_packet(take, [&track](Protobuf& packet) {
    const Protobuf::Message inner = packet.begin_long(f::trace_packet::kTrackDescriptor);
    packet.number(f::track_descriptor::kUuid, track.number);
    if (track.parent != 0) packet.number(f::track_descriptor::kParentUuid, track.parent);
    packet.text(f::track_descriptor::kName, track.name);
    if (track.ordered)
      packet.number(f::track_descriptor::kChildOrdering, f::track_descriptor::kExplicit);
    packet.signed_number(f::track_descriptor::kSiblingOrderRank, track.rank);
    packet.end(inner);
  });
}

void describe_thread(std::uint64_t number, Pid pid, Pid process, const TakeBytes& take) {
  give_packet(take, [&](Protobuf& packet) {
    const Protobuf::Message inner = packet.begin_long(f::trace_packet::kTrackDescriptor);
    packet.number(f::track_descriptor::kUuid, number);
    const Protobuf::Message thread = packet.begin(f::track_descriptor::kThread);
    packet.number(f::track_descriptor::kThreadPid, static_cast<std::uint32_t>(process));
    packet.number(f::track_descriptor::kThreadTid, static_cast<std::uint32_t>(pid));
    packet.end(thread);
    packet.end(inner);
  });
}

}  // namespace

std::uint64_t Tracks::of(Pid pid, OfThread which) {
  const auto number = static_cast<std::uint32_t>(which);
  std::uint32_t& used = used_[pid];
  if ((used >> number & 1) == 0) threads_[pid] = used |= 1U << number;
  return thread_track(pid) + 1 + number;
}

std::uint64_t Tracks::of(CpuId cpu, OfCpu which) {
  const auto number = static_cast<std::uint32_t>(which);
  cpus_[cpu] |= 1U << number;
  return kFirstCpu + std::uint64_t{cpu} * 4 + number;
}

void Tracks::describe(const TraceInfo& info, const TakeBytes& take) const {
  describe_track({.number = kRoot, .name = "kutrace", .ordered = true}, take);
  for (const auto& [cpu, used] : cpus_) {
    for (std::size_t which = 0; which < kOfCpu.size(); ++which) {
      if ((used >> which & 1) == 0) continue;
      describe_track({.number = kFirstCpu + std::uint64_t{cpu} * 4 + which,
                      .parent = kRoot,
                      .name = fmt::format("CPU {}{}", cpu, kOfCpu[which]),
                      .rank = static_cast<std::int32_t>(cpu * 4 + which)},
                     take);
    }
  }
  for (const auto& [pid, used] : threads_) {
    const auto known = info.threads.find(pid);
    const bool told = known != info.threads.end() && known->second.process != kNoPid;
    describe_thread(thread_track(pid), pid, told ? known->second.process : pid, take);
    for (std::size_t which = 0; which < kOfThread.size(); ++which) {
      if ((used >> which & 1) == 0) continue;
      describe_track({.number = thread_track(pid) + 1 + which,
                      .parent = thread_track(pid),
                      .name = kOfThread[which]},
                     take);
    }
  }
}

void Tracks::describe_lone(std::uint64_t track, Pid pid, std::string_view name,
                           const TakeBytes& take) {
  describe_track(
      {.number = track, .parent = pid > 0 ? thread_track(pid) : kRoot, .name = std::string(name)},
      take);
}

void TrackEvents::begin() {
  give_packet(take_, [](Protobuf& packet) {
    packet.number(f::trace_packet::kSequenceFlags, kStateCleared);
    const Protobuf::Message data = packet.begin_long(f::trace_packet::kInternedData);
    for (std::size_t i = 0; i < kCategories.size(); ++i) {
      const Protobuf::Message category = packet.begin(f::interned_data::kEventCategories);
      packet.number(f::interned_data::kIid, i + 1);
      packet.text(f::interned_data::kName, kCategories[i]);
      packet.end(category);
    }
    packet.end(data);
  });
}

void TrackEvents::event(unsigned type, std::uint64_t track, Ns time, Category category, NameId name,
                        TrackArgument argument, std::uint64_t flow) {
  packet_.clear();
  const bool ends = type == f::track_event::kSliceEnd;
  if (name >= told_.size()) told_.resize(std::max<std::size_t>(names_.size(), name + 1));
  const bool news = !ends && !told_[name];
  const Protobuf::Message outer =
      news ? packet_.begin_long(f::trace::kPacket) : packet_.begin(f::trace::kPacket);
  packet_.signed_number(f::trace_packet::kTimestamp, base_ + time);
  packet_.number(f::trace_packet::kTrustedPacketSequenceId, kTrackSequence);
  packet_.number(f::trace_packet::kSequenceFlags, kNeedsState);
  if (news) {
    told_[name] = true;
    const Protobuf::Message data = packet_.begin_long(f::trace_packet::kInternedData);
    const Protobuf::Message one = packet_.begin_long(f::interned_data::kEventNames);
    packet_.number(f::interned_data::kIid, name + std::uint64_t{1});
    packet_.text(f::interned_data::kName, names_.text(name));
    packet_.end(one);
    packet_.end(data);
  }
  const Protobuf::Message inner = packet_.begin(f::trace_packet::kTrackEvent);
  packet_.number(f::track_event::kType, type);
  packet_.number(f::track_event::kTrackUuid, track);
  if (!ends) {
    packet_.number(f::track_event::kCategoryIids, static_cast<std::uint64_t>(category) + 1);
    packet_.number(f::track_event::kNameIid, name + std::uint64_t{1});
  }
  if (argument.name != nullptr) {
    const Protobuf::Message note = packet_.begin(f::track_event::kDebugAnnotations);
    packet_.text(f::debug_annotation::kName, argument.name);
    packet_.signed_number(f::debug_annotation::kIntValue, argument.value);
    packet_.end(note);
  }
  if (flow != 0) packet_.fixed64(f::track_event::kFlowIds, flow);
  packet_.end(inner);
  packet_.end(outer);
  take_(packet_.bytes());
}

void TrackEvents::slice_begin(std::uint64_t track, Ns time, Category category, NameId name,
                              TrackArgument argument, std::uint64_t flow) {
  event(f::track_event::kSliceBegin, track, time, category, name, argument, flow);
}

void TrackEvents::slice_end(std::uint64_t track, Ns time) {
  event(f::track_event::kSliceEnd, track, time, Category::kCount, kNoName, {}, 0);
}

void TrackEvents::moment(std::uint64_t track, Ns time, Category category, NameId name,
                         TrackArgument argument, std::uint64_t flow) {
  event(f::track_event::kInstant, track, time, category, name, argument, flow);
}

}  // namespace kutrace::emit
