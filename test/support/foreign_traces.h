// SPDX-License-Identifier: BSD-3-Clause
// Files of other tools, made by hand: what the kernel's tracepoints told goes in, in the order of
// the times on each CPU; the bytes of a trace.dat or perf.data come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"

namespace kutrace::test {

// Numbers of events, as this kernel has them.
enum class ForeignId : std::uint16_t {
  kSwitch = 301,
  kWaking,
  kFork,
  kEnter,
  kExit,
  kIrq,
  kIrqEnd,
  kSoftirq,
  kSoftirqEnd,
  kFault,
};

struct ForeignEvent {
  Ns time = 0;
  CpuId cpu = 0;
  std::string bytes;       // as the kernel wrote them; empty: none, but what follows
  std::uint64_t lost = 0;  // events before it, of its CPU
};

class ForeignTrace {
 public:
  // What follows is on this CPU, where `pid` runs.
  ForeignTrace& on(CpuId cpu, Pid pid);
  ForeignTrace& switches(Ns time, std::string_view from, std::int64_t state, Pid to,
                         std::string_view to_name);
  ForeignTrace& wakes(Ns time, Pid pid, std::string_view name);
  ForeignTrace& forks(Ns time, std::string_view name, Pid child, std::string_view child_name);
  ForeignTrace& calls(Ns time, std::int64_t number, std::int64_t argument = 0);
  ForeignTrace& returns(Ns time, std::int64_t number, std::int64_t result = 0);
  // A program's mark: system call 1023 with an entry to insert.
  ForeignTrace& inserts(Ns time, std::int64_t word);
  // The same by a write to a descriptor that cannot be open.
  ForeignTrace& writes_mark(Ns time, std::int64_t word);
  ForeignTrace& interrupted(Ns begin, Ns end, std::int32_t irq, std::string_view name);
  ForeignTrace& softirq(Ns begin, Ns end, std::uint32_t kind);
  ForeignTrace& faults(Ns time);
  ForeignTrace& loses(std::uint64_t events);  // before the next event

  const std::vector<ForeignEvent>& events() const { return events_; }

 private:
  std::string head(ForeignId id) const;
  ForeignTrace& calls_with(Ns time, std::int64_t number, std::int64_t first, std::int64_t second);
  ForeignTrace& add(Ns time, std::string bytes);

  CpuId cpu_ = 0;
  Pid pid_ = 0;
  std::uint64_t lost_ = 0;
  std::vector<ForeignEvent> events_;
};

struct DatOptions {
  unsigned version = 6;
  bool packed = false;  // version 7
  std::size_t page_bytes = 4096;
  std::string clock = "mono";
};

std::string dat_file(const ForeignTrace& trace, const DatOptions& options = {});

struct PerfOptions {
  bool stream = false;
  bool packed = false;
  std::size_t round = 4;    // events between two ends of rounds
  std::size_t threads = 0;  // more of them, told before the first event
  // One moment of the wall clock and of CLOCK_MONOTONIC, in ns; not of a stream.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> clock = std::nullopt;
};

std::string perf_file(const ForeignTrace& trace, const PerfOptions& options = {});

// Two threads, two CPUs, something of everything.
ForeignTrace foreign_story();

// Something of everything, more of it on more CPUs as the seed says.
ForeignTrace foreign_mix(unsigned seed);

std::vector<std::byte> bytes_of(std::string_view text);

}  // namespace kutrace::test
