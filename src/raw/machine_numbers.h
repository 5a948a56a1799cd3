// SPDX-License-Identifier: BSD-3-Clause
// The numbers of one machine among several. In: numbers, times and entries as the machine recorded
// them; out: the same, changed so that no other machine has them.
//
// CPUs follow those of the machines before. Threads and processes of the n-th machine begin at n x
// 2^22, above which Linux gives none. Addresses of the kernel, which are alike on all machines, lie
// n x 2^48 lower, where x86 and arm64 have none. An RPC has one number at both its ends, which no
// unrelated RPC has (joined_rpcs.h). Locks and queues keep their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "format/counter_records.h"
#include "format/machine_fact.h"
#include "format/name_entries.h"
#include "format/packet_text.h"
#include "format/process_text.h"
#include "format/symbol_text.h"
#include "format/trace_clock.h"
#include "raw/joined_rpcs.h"
#include "timeline/event.h"

namespace kutrace::raw {

// Numbers given so far, by all machines together.
struct SharedNumbers {
  std::uint32_t stacks = 0;
  std::uint32_t counters = 0;
};

class MachineNumbers {
 public:
  static constexpr std::size_t kMostMachines = 128;  // a switch has room for so many threads
  static constexpr std::uint32_t kIdleStates = 64;   // of one machine; Linux has at most 10

  struct Place {
    std::uint32_t number = 0;  // of the machine, from 0
    CpuId first_cpu = 0;
    CpuId cpus = 0;                    // that it has numbers for
    TraceClock clock;                  // its counters to its times
    std::function<Ticks(Ns)> counter;  // its times to counters of the whole
    const MachineRpcs* rpcs = nullptr;
  };

  MachineNumbers(Place place, SharedNumbers& shared) : place_(std::move(place)), shared_(shared) {}

  Pid first_pid() const { return static_cast<Pid>(place_.number) * kThreadsOfMachine; }
  CpuId cpu(CpuId own) const { return own < place_.cpus ? own + place_.first_cpu : own; }
  // 0 (idle, or the kernel) and negative numbers stay what they are.
  Pid pid(Pid own);
  std::uint64_t address(std::uint64_t own) const;
  std::uint32_t idle_state(std::uint32_t own) const { return own + place_.number * kIdleStates; }
  Ticks time(Ns own) const { return place_.counter(own); }
  // A counter of the machine as one of the whole; 0, which means "always", stays 0.
  Ticks counter(Ticks own) const;

  // What an RPC of this number is in the whole; several, where it was one machine's and another's.
  std::vector<std::uint32_t> rpcs(std::uint32_t own) const;

  // Whether a thread had a number that Linux does not give, so that pid() may have mixed it up.
  bool met_strange_pid() const { return strange_pid_; }

  // The entry with all its numbers changed; it has no time.
  LooseEntry entry(const decode::Entry& entry);

  MapRecord moved(MapRecord record);
  SymbolRecord moved(SymbolRecord record);
  StackRecord moved(StackRecord record);
  DescriptorRecord moved(DescriptorRecord record);
  CgroupRecord moved(CgroupRecord record);
  PacketRecord moved(PacketRecord record) const;
  // `host`, unless it is empty, is put before the names of the machine's own counters.
  CounterRecords moved(CounterRecords records, const std::string& host);

 private:
  template <typename Record>
  Record moved_process(Record record);
  void move_name(LooseEntry& entry);
  std::uint32_t next_rpc(std::uint32_t arg);
  void move_moment(LooseEntry& entry);
  std::uint32_t stack(std::uint32_t own);
  std::uint64_t stacks(std::uint64_t both);

  Place place_;
  SharedNumbers& shared_;
  std::unordered_map<std::uint32_t, std::uint32_t> stacks_;
  std::size_t next_rpc_ = 0;  // of the points that the machine's RPCs have
  bool strange_pid_ = false;
};

}  // namespace kutrace::raw
