// SPDX-License-Identifier: BSD-3-Clause
// Packet by packet.
#include "read/perfetto/perfetto_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "read/perfetto/ftrace_message.h"
#include "read/perfetto/wire_fields.h"

namespace kutrace::read {

namespace {

namespace f = perfetto;

// About what a thread needs, here and in the raw trace, and what is known of a sequence of packets
// or of a CPU.
constexpr std::uint64_t kThreadBytes = 256;
constexpr std::uint32_t kMostPacketField = 4096;
constexpr unsigned kFewFields = 2;
constexpr std::size_t kMostLooks = 8;  // at each byte

Error too_much(std::uint64_t most) {
  return input_error(fmt::format("its events need more than {}", byte_size(most)))
      .with_hint("record less, or a shorter time");
}

bool is_packet(const WireField& field) {
  return field.number == f::trace::kPacket && field.is_bytes;
}

// Whether all fields of a packet can be read, and are such as packets have.
bool is_whole_packet(std::span<const std::byte> bytes) {
  WireFields fields(bytes);
  bool is_any = false;
  while (fields.next()) {
    if (fields->number > kMostPacketField) return false;
    is_any = true;
  }
  return is_any && !fields.damaged();
}

// Behind damage: from the next whole packet on, which another one or the end follows. Empty: there
// is none, or it took too long to look for.
// `looks`: at how many bytes, yet.
std::span<const std::byte> next_packet(std::span<const std::byte> bytes, std::size_t& looks) {
  constexpr auto kTag = static_cast<std::byte>(f::trace::kPacket << 3 | 2);
  for (std::size_t at = 1; at < bytes.size(); ++at) {
    if (bytes[at] != kTag) continue;
    const auto rest = bytes.subspan(at);
    WireFields fields(rest);
    if (!fields.next() || !is_packet(*fields)) continue;
    const auto packet = fields->bytes;
    const std::size_t end = static_cast<std::size_t>(packet.data() - rest.data()) + packet.size();
    if (end < rest.size() && rest[end] != kTag) continue;
    if (packet.size() > looks) return {};
    looks -= packet.size();
    if (is_whole_packet(packet)) return rest;
  }
  return {};
}

// Numbers of compact events that stand side by side.
struct Columns {
  PackedNumbers times, pids, names, states;

  bool next() { return times.next() && pids.next() && names.next(); }
  bool ended() const { return times.ended() && pids.ended() && names.ended(); }
};

}  // namespace

// Of a packet what it is, and what holds for all kinds of it.
struct PerfettoTrace::Packet {
  WireField content;
  std::uint32_t sequence = 0;
  std::uint32_t machine = 0;
  bool dropped_before = false;
};

struct PerfettoTrace::Bundle {
  std::size_t first = 0;  // of its events
  CpuId cpu = 0;
  bool has_cpu = false;
  unsigned clock = f::ftrace_bundle::kBoot;
  Ns time = 0;  // of its clock, and at the same moment
  Ns boot = 0;  // CLOCK_BOOTTIME
  Ns shift = 0;
  bool lost = false;     // something in front of it
  bool damaged = false;  // likewise
};

PerfettoTrace::PerfettoTrace(std::uint64_t most) : most_(most), packed_(most) {}

Status PerfettoTrace::read(const MappedFile& file) {
  KUTRACE_TRY(packets(file.bytes(), false));
  std::ranges::stable_sort(events_, {}, &FoundEvent::time);
  put_last_losses();
  return {};
}

Status PerfettoTrace::packets(std::span<const std::byte> bytes, bool are_packed) {
  std::size_t looks = kMostLooks * bytes.size();
  while (!bytes.empty()) {
    WireFields fields(bytes);
    while (fields.next())
      if (is_packet(*fields)) KUTRACE_TRY(packet(fields->bytes, are_packed));
    if (!fields.damaged()) return {};
    bytes = next_packet(fields.unread(), looks);
    // What was there may have been of any CPU.
    ++damages_;
    const bool is_end = bytes.empty() && !are_packed;
    cut_ = cut_ || is_end;
    if (!is_end) ++unreadable_;
  }
  return {};
}

Status PerfettoTrace::packet(std::span<const std::byte> bytes, bool is_packed) {
  Packet packet;
  WireFields fields(bytes);
  while (fields.next()) {
    switch (fields->number) {
      case f::trace_packet::kFtraceEvents:
      case f::trace_packet::kProcessTree:
      case f::trace_packet::kProcessStats:
      case f::trace_packet::kClockSnapshot:
      case f::trace_packet::kSystemInfo:
      case f::trace_packet::kCompressedPackets:
        packet.content = *fields;
        break;
      case f::trace_packet::kTrustedPacketSequenceId:
        packet.sequence = static_cast<std::uint32_t>(fields->value);
        break;
      case f::trace_packet::kPreviousPacketDropped:
        packet.dropped_before = fields->value != 0;
        break;
      case f::trace_packet::kMachineId:
        packet.machine = static_cast<std::uint32_t>(fields->value);
        break;
      default:
        break;
    }
  }
  if (!fields.damaged()) return take(packet, is_packed);
  // It does not tell what was dropped before it, nor all that it holds.
  ++unreadable_;
  ++damages_;
  KUTRACE_TRY(take(packet, is_packed));
  ++damages_;
  return {};
}

Status PerfettoTrace::take(const Packet& packet, bool is_packed) {
  const auto bytes = packet.content.bytes;
  if (packet.content.number == f::trace_packet::kCompressedPackets)
    return is_packed ? Status() : unpack(bytes);
  const bool is_ftrace = packet.content.number == f::trace_packet::kFtraceEvents;
  if (packet.machine != 0) {
    if (is_ftrace) ++of_other_machines_;
    return {};
  }
  if (packet.dropped_before) ++dropped_[packet.sequence];
  if (is_ftrace) return bundle(packet);
  if (packet.content.number == f::trace_packet::kProcessTree) process_tree(bytes);
  if (packet.content.number == f::trace_packet::kProcessStats) process_stats(bytes);
  if (packet.content.number == f::trace_packet::kClockSnapshot) clock_snapshot(bytes);
  if (packet.content.number == f::trace_packet::kSystemInfo) system_info(bytes);
  return must_fit();
}

// A small file may unpack to many events, threads and CPUs.
bool PerfettoTrace::fits() const {
  const std::uint64_t known =
      threads_.size() + dropped_.size() + known_dropped_.size() + known_damages_.size();
  return events_.size() * sizeof(FoundEvent) + known * kThreadBytes <= most_;
}

Status PerfettoTrace::must_fit() const {
  if (fits()) return {};
  return fail(too_much(most_));
}

// Packed packets hold no others.
Status PerfettoTrace::unpack(std::span<const std::byte> piece) {
  const auto unpacked = packed_.unpack(piece);
  if (packed_.too_much()) return fail(too_much(most_));
  if (unpacked) return packets(*unpacked, true);
  ++unreadable_;
  ++damages_;
  return {};
}

// Whether something of the CPU was lost since its last bundle, and what follows knows of it.
void PerfettoTrace::find_losses(const Packet& packet, Bundle& bundle) {
  cpus_.insert(bundle.cpu);
  const std::uint64_t dropped = dropped_[packet.sequence];
  const auto known = known_dropped_.try_emplace({packet.sequence, bundle.cpu}, dropped).first;
  const auto of_all = known_damages_.try_emplace(bundle.cpu, damages_).first;
  const auto unplaced = lost_.extract(bundle.cpu);
  const bool is_damage = unplaced && unplaced.mapped() == FoundEvent::Kind::kDamage;
  bundle.damaged = bundle.damaged || is_damage || of_all->second != damages_;
  bundle.lost = bundle.lost || unplaced || known->second != dropped;
  known->second = dropped;
  of_all->second = damages_;
}

Status PerfettoTrace::bundle(const Packet& packet) {
  Bundle head = bundle_head(packet.content.bytes);
  if (head.damaged && !head.has_cpu) {
    ++unreadable_;
    ++damages_;
    return {};
  }
  find_losses(packet, head);
  head.shift = shift_of(head);
  head.first = events_.size();
  WireFields fields(packet.content.bytes);
  while (fields.next()) {
    KUTRACE_TRY(must_fit());
    if (!fields->is_bytes) continue;
    if (fields->number == f::ftrace_bundle::kEvent) message(head, fields->bytes);
    if (fields->number == f::ftrace_bundle::kCompactSched)
      KUTRACE_TRY(compact(head, fields->bytes));
    if (fields->number == f::ftrace_bundle::kError) error(head, fields->bytes);
  }
  if (fields.damaged()) damage(head);
  put_loss(head);
  return must_fit();
}

// All but its events, which may need what stands behind them.
PerfettoTrace::Bundle PerfettoTrace::bundle_head(std::span<const std::byte> bytes) {
  Bundle head;
  WireFields fields(bytes);
  while (fields.next()) {
    switch (fields->number) {
      case f::ftrace_bundle::kCpu:
        head.cpu = static_cast<CpuId>(fields->value);
        head.has_cpu = true;
        break;
      case f::ftrace_bundle::kLostEvents:
        head.lost = fields->value != 0;
        break;
      case f::ftrace_bundle::kClock:
        head.clock = static_cast<unsigned>(fields->value);
        break;
      case f::ftrace_bundle::kFtraceTimestamp:
        head.time = fields->signed_value();
        break;
      case f::ftrace_bundle::kBootTimestamp:
        head.boot = fields->signed_value();
        break;
      case f::ftrace_bundle::kGenericDescriptor:
        describe(fields->bytes);
        break;
      default:
        break;
    }
  }
  // Behind what is damaged it may have been told that something was lost before.
  head.damaged = fields.damaged();
  return head;
}

void PerfettoTrace::describe(std::span<const std::byte> bytes) {
  f::FieldNumber number = 0;
  std::span<const std::byte> descriptor;
  for (WireFields fields(bytes); fields.next();) {
    if (fields->number == f::ftrace_bundle::kDescriptorField)
      number = static_cast<f::FieldNumber>(fields->value);
    if (fields->number == f::ftrace_bundle::kDescriptorBytes) descriptor = fields->bytes;
  }
  rows_.describe(number, descriptor);
}

// The first pair of times that is told of a clock holds for all its events: so their distances stay
// those of that clock.
Ns PerfettoTrace::shift_of(const Bundle& bundle) {
  if (bundle.clock == f::ftrace_bundle::kBoot) return 0;
  if (const auto known = shifts_.find(bundle.clock); known != shifts_.end()) return known->second;
  const bool tells =
      bundle.time > 0 && bundle.time <= kLatest && bundle.boot > 0 && bundle.boot <= kLatest;
  const bool has_snapshot =
      bundle.clock == f::ftrace_bundle::kMonoRaw && clocks_.raw && clocks_.boot;
  if (!tells && !has_snapshot) {
    has_unknown_clock_ = true;
    return 0;
  }
  const Ns shift = has_snapshot ? *clocks_.boot - *clocks_.raw : bundle.boot - bundle.time;
  shifts_.emplace(bundle.clock, shift);
  return shift;
}

void PerfettoTrace::add(const Bundle& bundle, FoundEvent event) {
  event.cpu = bundle.cpu;
  event.time = std::clamp<Ns>(event.time, 0, kLatest) + bundle.shift;
  event.time = std::clamp<Ns>(event.time, 0, kLatest);
  events_.push_back(event);
}

void PerfettoTrace::message(Bundle& bundle, std::span<const std::byte> bytes) {
  const FtraceMessage message = read_ftrace_message(bytes, rows_);
  if (message.damaged) {
    damage(bundle);
  } else if (message.tracepoint != nullptr) {
    holds_[static_cast<std::size_t>(message.tracepoint->what)] = true;
    add(bundle, {.time = message.time, .bytes = bytes});
  }
}

// It may have been a switch: behind the event before it nobody knows who runs.
void PerfettoTrace::damage(Bundle& bundle) {
  ++unreadable_;
  if (events_.size() == bundle.first) {
    bundle.damaged = true;
    return;
  }
  FoundEvent damage;
  damage.time = events_.back().time;
  damage.cpu = bundle.cpu;
  damage.kind = FoundEvent::Kind::kDamage;
  events_.push_back(damage);
}

// Switches and wakeups as columns; times are distances from the one before.
Status PerfettoTrace::compact(Bundle& bundle, std::span<const std::byte> bytes) {
  std::vector<std::span<const std::byte>> names;
  Columns switches;
  Columns wakings;
  WireFields fields(bytes);
  while (fields.next()) {
    const PackedNumbers numbers(fields->bytes);
    switch (fields->number) {
      case f::compact_sched::kInternTable:
        names.push_back(fields->bytes);
        if (names.size() > most_ / sizeof(std::span<const std::byte>)) return fail(too_much(most_));
        break;
      case f::compact_sched::kSwitchTimestamp:
        switches.times = numbers;
        break;
      case f::compact_sched::kSwitchPrevState:
        switches.states = numbers;
        break;
      case f::compact_sched::kSwitchNextPid:
        switches.pids = numbers;
        break;
      case f::compact_sched::kSwitchNextComm:
        switches.names = numbers;
        break;
      case f::compact_sched::kWakingTimestamp:
        wakings.times = numbers;
        break;
      case f::compact_sched::kWakingPid:
        wakings.pids = numbers;
        break;
      case f::compact_sched::kWakingComm:
        wakings.names = numbers;
        break;
      default:
        break;
    }
  }
  const auto name = [&names](std::uint64_t i) {
    return i < names.size() ? names[i] : std::span<const std::byte>();
  };
  std::uint64_t time = 0;
  while (switches.next() && switches.states.next()) {
    time += *switches.times;
    add(bundle, {.time = static_cast<Ns>(time),
                 .bytes = name(*switches.names),
                 .pid = thread_number(*switches.pids),
                 .state = static_cast<std::int32_t>(*switches.states),
                 .kind = FoundEvent::Kind::kSwitch});
    holds_[static_cast<std::size_t>(What::kSwitch)] = true;
    KUTRACE_TRY(must_fit());
  }
  const bool is_uneven = !switches.ended() || !switches.states.ended();
  if (fields.damaged() || is_uneven) damage(bundle);
  time = 0;
  while (wakings.next()) {
    time += *wakings.times;
    add(bundle, {.time = static_cast<Ns>(time),
                 .bytes = name(*wakings.names),
                 .pid = thread_number(*wakings.pids),
                 .kind = FoundEvent::Kind::kWaking});
    KUTRACE_TRY(must_fit());
  }
  if (!wakings.ended()) ++unreadable_;
  return {};
}

// Perfetto could not read the rest of a page of the kernel's.
void PerfettoTrace::error(Bundle& bundle, std::span<const std::byte> bytes) {
  FoundEvent found;
  found.kind = FoundEvent::Kind::kDamage;
  for (WireFields fields(bytes); fields.next();)
    if (fields->number == f::ftrace_bundle::kErrorTimestamp) found.time = fields->signed_value();
  if (found.time <= 0) return damage(bundle);
  ++unreadable_;
  add(bundle, found);
}

// What was lost before the bundle lasts until its first event, or that of the next one.
void PerfettoTrace::put_loss(const Bundle& bundle) {
  if (!bundle.lost && !bundle.damaged) return;
  const auto kind = bundle.damaged ? FoundEvent::Kind::kDamage : FoundEvent::Kind::kLoss;
  if (bundle.first == events_.size()) {
    lost_[bundle.cpu] = kind;
    return;
  }
  const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(bundle.first);
  FoundEvent loss;
  loss.time = std::ranges::min_element(begin, events_.end(), {}, &FoundEvent::time)->time;
  loss.cpu = bundle.cpu;
  loss.kind = kind;
  // Of events of one time it is the first.
  events_.insert(begin, loss);
}

// What was lost behind a CPU's last bundle lasts until the end of all.
void PerfettoTrace::put_last_losses() {
  if (events_.empty()) return;
  for (const auto& [known, dropped] : known_dropped_)
    if (dropped != dropped_[known.first]) lost_.try_emplace(known.second, FoundEvent::Kind::kLoss);
  FoundEvent loss;
  loss.time = events_.back().time;
  for (const auto& [cpu, damages] : known_damages_) {
    const auto lost = lost_.find(cpu);
    if (damages == damages_ && lost == lost_.end()) continue;
    loss.cpu = cpu;
    loss.kind = damages == damages_ ? lost->second : FoundEvent::Kind::kDamage;
    events_.push_back(loss);
  }
}

void PerfettoTrace::clock_snapshot(std::span<const std::byte> bytes) {
  Clocks told;
  for (WireFields fields(bytes); fields.next();) {
    if (fields->number != f::clock_snapshot::kClocks) continue;
    std::uint64_t clock = 0;
    Ns time = 0;
    for (WireFields one(fields->bytes); one.next();) {
      if (one->number == f::clock_snapshot::kClockId) clock = one->value;
      if (one->number == f::clock_snapshot::kClockTimestamp) time = one->signed_value();
    }
    if (time < 0 || time > kLatest) continue;
    if (clock == f::clock_snapshot::kBoottime) told.boot = time;
    if (clock == f::clock_snapshot::kMonotonic) told.monotonic = time;
    if (clock == f::clock_snapshot::kMonotonicRaw) told.raw = time;
    if (clock == f::clock_snapshot::kRealtime) told.wall = time;
  }
  if (!clocks_.boot && told.boot) clocks_ = told;
}

// Null: it is none, or there is no room for more, which ends the reading.
PerfettoTrace::Thread* PerfettoTrace::thread_of(Pid pid) {
  return pid > 0 && fits() ? &threads_[pid] : nullptr;
}

void PerfettoTrace::process_tree(std::span<const std::byte> bytes) {
  for (WireFields fields(bytes); fields.next();) {
    const bool is_process = fields->number == f::process_tree::kProcesses;
    if (!is_process && fields->number != f::process_tree::kThreads) continue;
    Pid pid = kNoPid;
    Thread told;
    for (WireFields one(fields->bytes); one.next();) {
      if (one->number == f::process_tree::kThreadTid) pid = one->thread_value();
      if (is_process) {
        if (one->number == f::process_tree::kProcessPpid) told.parent = one->thread_value();
      } else if (one->number == f::process_tree::kThreadName) {
        told.name = one->text();
      } else if (one->number == f::process_tree::kThreadTgid) {
        told.process = one->thread_value();
      }
    }
    if (pid == kNotAThread) ++unreadable_;
    Thread* const thread = thread_of(pid);
    if (thread == nullptr) continue;
    if (is_process) told.process = pid;
    if (told.process > 0) thread->process = told.process;
    if (told.parent >= 0) thread->parent = told.parent;
    if (!told.name.empty()) thread->name = told.name;
  }
}

void PerfettoTrace::process_stats(std::span<const std::byte> bytes) {
  for (WireFields fields(bytes); fields.next();) {
    if (fields->number != f::process_stats::kProcesses) continue;
    Pid process = kNoPid;
    std::vector<Pid> of_it;
    for (WireFields one(fields->bytes); one.next();) {
      if (one->number == f::process_stats::kProcessPid) process = one->thread_value();
      if (one->number != f::process_stats::kProcessThreads) continue;
      for (WireFields thread(one->bytes); thread.next();)
        if (thread->number == f::process_stats::kThreadTid) of_it.push_back(thread->thread_value());
    }
    if (process == kNotAThread) ++unreadable_;
    if (process <= 0) continue;
    of_it.push_back(process);
    for (const Pid pid : of_it)
      if (Thread* const thread = thread_of(pid)) thread->process = process;
  }
}

void PerfettoTrace::system_info(std::span<const std::byte> bytes) {
  for (WireFields fields(bytes); fields.next();) {
    if (fields->number == f::system_info::kTracingService) service_ = fields->text();
    if (fields->number != f::system_info::kUtsname) continue;
    for (WireFields one(fields->bytes); one.next();) {
      if (one->number == f::system_info::kMachine) machine_ = one->text();
      if (one->number == f::system_info::kRelease) release_ = one->text();
    }
  }
}

// Packets whose fields have numbers that packets have: the first ones all, as nothing else says it.
bool is_perfetto_trace(std::string_view bytes) {
  unsigned known = 0;
  std::span<const std::byte> rest(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  std::size_t looks = kMostLooks * rest.size();
  while (!rest.empty()) {
    WireFields packets(rest);
    while (known <= kFewFields && packets.next()) {
      if (!is_packet(*packets)) return false;
      WireFields fields(packets->bytes);
      unsigned of_it = 0;
      for (; fields.next(); ++of_it)
        if (fields->number > kMostPacketField) return false;
      // One that is damaged tells nothing; another one may.
      if (!fields.damaged()) known += of_it;
    }
    if (known == 0 || known > kFewFields || !packets.damaged()) break;
    rest = next_packet(packets.unread(), looks);
    if (rest.empty()) return false;
  }
  return known > 0;
}

}  // namespace kutrace::read
