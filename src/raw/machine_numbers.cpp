// SPDX-License-Identifier: BSD-3-Clause
// Which word of which entry is a number of the machine.
#include "raw/machine_numbers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "format/entry_word.h"
#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::raw {

namespace {

// The kernel's half of the addresses, in x86 and arm64 with 48 bits and more.
constexpr std::uint64_t kFirstKernelAddress = 0xff00'0000'0000'0000;
constexpr int kAddressShift = 48;
constexpr std::uint32_t kRpcNumber =
    0xffff;  // of an RPC point's argument; above it stands a length

std::uint64_t joined(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

std::uint32_t high_half(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

}  // namespace

Pid MachineNumbers::pid(Pid own) {
  if (own <= 0) return own;
  // Kept within the machine's range, so that no other's threads are meant; the trace is refused in
  // the end.
  if (own >= kThreadsOfMachine) strange_pid_ = true;
  return own % kThreadsOfMachine + first_pid();
}

std::uint64_t MachineNumbers::address(std::uint64_t own) const {
  // Programs' addresses are told apart by their process.
  if (own < kFirstKernelAddress) return own;
  return own - (std::uint64_t{place_.number} << kAddressShift);
}

Ticks MachineNumbers::counter(Ticks own) const {
  // 0 is no moment but "since always".
  return own == 0 ? 0 : time(place_.clock.to_ns(own));
}

std::uint32_t MachineNumbers::stack(std::uint32_t own) {
  if (own == KUTRACE_STACK_NONE || own == KUTRACE_STACK_LOST) return own;
  // Recorders number stacks in no order, each its own; all machines count up together here.
  const auto [found, is_new] = stacks_.try_emplace(own, 0);
  if (is_new) found->second = ++shared_.stacks;
  return found->second;
}

std::uint64_t MachineNumbers::stacks(std::uint64_t both) {
  return joined(stack(high_half(both)), stack(low_half(both)));
}

LooseEntry MachineNumbers::entry(const decode::Entry& entry) {
  LooseEntry moved{entry.number, entry.arg, {}};
  moved.payload.resize(entry.words - std::size_t{1});
  if (entry.words > 1) std::memcpy(moved.payload.data(), entry.payload, 8 * moved.payload.size());
  if (event_class(entry.number) == EventClass::kName) {
    move_name(moved);
    return moved;
  }
  switch (entry.number) {
    case ev::kUSERPID: {
      const auto to = static_cast<Pid>(decode::switched_to(entry.arg));
      moved.arg = (entry.arg & ~KUTRACE_SWITCH_PID_MASK) | static_cast<std::uint32_t>(pid(to));
      break;
    }
    case ev::kRUNNABLE:
      moved.arg = static_cast<std::uint32_t>(pid(static_cast<Pid>(entry.arg)));
      break;
    case ev::kSEND_IPI:
    case ev::kMONITOR_STORE:
      moved.arg = cpu(entry.arg);
      break;
    case ev::kRPC_REQUEST:
    case ev::kRPC_RESPONSE:
    case ev::kRPC_MIDDLE:
      moved.arg = next_rpc(entry.arg);
      break;
    // Machines have other idle states under the same numbers.
    case ev::kMWAIT:
      if (const std::uint32_t state = entry.arg >> KUTRACE_IDLE_STATE_SHIFT; state != 0)
        moved.arg = (entry.arg & 0xffff) | idle_state(state) << KUTRACE_IDLE_STATE_SHIFT;
      break;
    case ev::kPC_KERNEL:
      if (!moved.payload.empty()) moved.payload[0] = address(moved.payload[0]);
      break;
    default:
      break;
  }
  return moved;
}

// Points come in the order in which they were numbered.
std::uint32_t MachineNumbers::next_rpc(std::uint32_t arg) {
  const std::vector<std::uint16_t>& points = place_.rpcs->points;
  return next_rpc_ < points.size() ? (arg & ~kRpcNumber) | points[next_rpc_++] : arg;
}

std::vector<std::uint32_t> MachineNumbers::rpcs(std::uint32_t own) const {
  const auto found = place_.rpcs->numbers.find(static_cast<std::uint16_t>(own));
  if (found == place_.rpcs->numbers.end()) return {own};
  return {found->second.begin(), found->second.end()};
}

void MachineNumbers::move_name(LooseEntry& entry) {
  const std::size_t words = entry.payload.size() + 1;
  switch (name_kind(entry.number)) {
    case kind::kPID_NAME:
      entry.arg = static_cast<std::uint32_t>(pid(static_cast<Pid>(entry.arg)));
      break;
    // Thread, process, parent, and the number that it had before: where each stands says
    // trace-format.md.
    case kind::kTASK: {
      entry.arg = static_cast<std::uint32_t>(pid(static_cast<Pid>(entry.arg)));
      if (words < KUTRACE_TASK_WORDS) break;
      std::uint64_t& flags = entry.payload[0];
      if ((flags & KUTRACE_TASK_RENUMBERED) != 0) {
        const Pid before = pid(static_cast<Pid>(high_half(flags)));
        flags = joined(static_cast<std::uint32_t>(before), low_half(flags));
      }
      const Pid parent = pid(static_cast<Pid>(high_half(entry.payload[1])));
      const Pid process = pid(static_cast<Pid>(low_half(entry.payload[1])));
      entry.payload[1] =
          joined(static_cast<std::uint32_t>(parent), static_cast<std::uint32_t>(process));
      break;
    }
    case kind::kLOSS: {
      const CpuId of = cpu(entry.arg & KUTRACE_LOSS_CPU_MASK);
      entry.arg = (entry.arg & ~KUTRACE_LOSS_CPU_MASK) | of;
      if (words < KUTRACE_LOSS_WORDS) break;
      entry.payload[0] = counter(entry.payload[0]);
      entry.payload[1] = counter(entry.payload[1]);
      break;
    }
    case kind::kSTACKS:
      if (words >= KUTRACE_STACKS_WORDS) entry.payload[0] = stacks(entry.payload[0]);
      break;
    case kind::kPOINT:
      move_moment(entry);
      break;
    default:
      break;
  }
}

// Threads, CPUs and addresses among a moment's numbers (doc/trace-format.md).
void MachineNumbers::move_moment(LooseEntry& entry) {
  std::array<std::uint64_t, KUTRACE_MOMENT_NUMBERS> numbers{};
  // Entries of this kind may be short: missing numbers are 0 and are not written back.
  std::ranges::copy(entry.payload.begin(),
                    entry.payload.begin() +
                        static_cast<std::ptrdiff_t>(std::min(entry.payload.size(), numbers.size())),
                    numbers.begin());
  const auto thread = [this](std::uint64_t number) {
    return static_cast<std::uint64_t>(pid(static_cast<Pid>(number)));
  };
  switch (entry.arg) {
    case ev::kSIGNAL_SEND:
      numbers[1] = thread(numbers[1]);
      break;
    case ev::kFORK:
    case ev::kEXEC:
    case ev::kEXIT:
      numbers[0] = thread(numbers[0]);
      numbers[1] = thread(numbers[1]);
      break;
    case ev::kMIGRATE:
      numbers[0] = thread(numbers[0]);
      numbers[1] = cpu(static_cast<CpuId>(numbers[1]));
      numbers[2] = cpu(static_cast<CpuId>(numbers[2]));
      break;
    case ev::kCONTENTION_BEGIN:
    case ev::kCONTENTION_END:
    case ev::kFUTEX_WAIT:
    case ev::kWORK_END:
    case ev::kSOCKET_STATE:
    case ev::kRETRANSMIT:
    case ev::kSOCKET_SEND:
    case ev::kSOCKET_RECEIVE:
    case ev::kPAGE_ALLOC:
    case ev::kPAGE_FREE:
      numbers[0] = address(numbers[0]);
      break;
    case ev::kFAULT_ADDRESS:
    case ev::kTIMER:
    case ev::kHRTIMER:
    case ev::kWORK_BEGIN:
      numbers[0] = address(numbers[0]);
      numbers[1] = address(numbers[1]);
      break;
    default:
      break;
  }
  for (std::size_t i = 0; i < std::min(entry.payload.size(), numbers.size()); ++i)
    entry.payload[i] = numbers[i];
}

MapRecord MachineNumbers::moved(MapRecord record) {
  record.process = pid(record.process);
  record.from = counter(record.from);
  return record;
}

SymbolRecord MachineNumbers::moved(SymbolRecord record) {
  record.process = pid(record.process);
  record.from = counter(record.from);
  record.start = address(record.start);
  record.end = address(record.end);
  return record;
}

StackRecord MachineNumbers::moved(StackRecord record) {
  record.number = stack(record.number);
  record.from = counter(record.from);
  for (std::uint64_t& frame : record.frames) frame = address(frame);
  return record;
}

template <typename Record>
Record MachineNumbers::moved_process(Record record) {
  record.process = pid(record.process);
  record.at = counter(record.at);
  return record;
}

DescriptorRecord MachineNumbers::moved(DescriptorRecord record) {
  return moved_process(std::move(record));
}

CgroupRecord MachineNumbers::moved(CgroupRecord record) { return moved_process(std::move(record)); }

PacketRecord MachineNumbers::moved(PacketRecord record) const {
  record.at = counter(record.at);
  return record;
}

CounterRecords MachineNumbers::moved(CounterRecords records, const std::string& host) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  for (CounterSeries& series : records.series) {
    series.number = numbers.try_emplace(series.number, ++shared_.counters).first->second;
    // The machine's own counters have no process to tell them apart by.
    if (series.process == kNoPid && !host.empty()) series.name = host + ' ' + series.name;
    series.process = pid(series.process);
  }
  for (CounterReading& reading : records.readings) {
    reading.at = static_cast<std::int64_t>(counter(static_cast<Ticks>(reading.at)));
    std::erase_if(reading.values,
                  [&](const CounterValue& value) { return !numbers.contains(value.number); });
    for (CounterValue& value : reading.values) value.number = numbers.at(value.number);
  }
  return records;
}

}  // namespace kutrace::raw
