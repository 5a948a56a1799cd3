// SPDX-License-Identifier: BSD-3-Clause
// Raw traces with known truth: a simulated machine whose CPUs run threads through system calls,
// faults, interrupts, softirqs, switches and idle. What it did is known without reading the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/event_table.h"
#include "model/span.h"
#include "support/kernel_writer.h"

namespace kutrace::test {

enum class MachineKind {
  kX86,          // 16 ns a tick
  kRaspberry,    // 54 MHz
  kRaspberry32,  // 54 MHz kept to 32 bits, which turn over during the recording
  kRiscv,        // 1 MHz: many events in one tick
  kFreeBsd,      // idle threads with ids, ids in headers greater by 100000
};

struct TruthOptions {
  std::uint64_t seed = 1;
  unsigned cpus = 3;
  unsigned threads = 8;
  unsigned steps = 1500;       // actions of all CPUs together
  unsigned block_words = 400;  // blocks end after fewer entries than these
  bool own = true;  // our recorder's facts and sequence numbers, or upstream's bare blocks
  bool scheduler_frames = true;
  bool late_stores = true;
  bool long_gaps = true;
  bool power = true;
  bool shuffled = true;
  bool wide = true;    // where `own`: numbers of calls that do not fit an entry
  bool deaths = true;  // where `own`: threads end, others get their numbers, and some call exec
  bool noise = false;  // samples, names, packets and other entries that cut no span
  bool talks = false;  // calls send packets and softirqs receive some, of which few differ
  MachineKind machine = MachineKind::kX86;
  unsigned version = 3;                 // of the file
  unsigned flags = 0;                   // of block 0: KUTRACE_FLAG_IPC, _LLC, _WRAP
  EventNum scheduler = ev::kSCHEDULER;  // older traces have another number
};

// Options drawn from a seed, so that many seeds cover the combinations.
TruthOptions random_options(std::uint64_t seed);

// Idle, and what is lost.
constexpr std::size_t kNoTrueThread = ~std::size_t{0};

struct TrueSpan {
  Ns begin = 0;
  Ns end = 0;
  CpuId cpu = 0;
  Pid pid = 0;
  SpanKind kind = SpanKind::kIdle;
  EventNum event = 0;
  std::uint64_t arg = 0;
  bool has_result = false;
  CallResult result;
  std::uint8_t ipc = 0;
  std::size_t thread = kNoTrueThread;  // the same whatever its number
};

struct TrueWait {
  Ns begin = 0;
  Ns end = 0;
  Pid pid = 0;
};

struct TrueArc {
  Ns begin = 0;
  Ns end = 0;
  CpuId from = 0;
  CpuId to = 0;
  Pid pid = 0;  // woken
};

struct Truth {
  std::vector<std::byte> file;
  std::vector<std::size_t> processes;  // of each thread
  bool own = true;                     // who belongs to which is told
  std::vector<TrueSpan> spans;         // per CPU in time order, no gap
  std::vector<TrueWait> waits;
  std::vector<TrueArc> wakeups;
  std::vector<WrittenBlock> blocks;
  Ns tick = 0;  // of the machine's clock
  Ns begin = 0;
  Ns end = 0;
};

Truth generate_truth(const TruthOptions& options);

}  // namespace kutrace::test
