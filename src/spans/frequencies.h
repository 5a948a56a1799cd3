// SPDX-License-Identifier: BSD-3-Clause
// How fast each CPU ran. In: samples of its frequency, which speak of the time before them, and
// notices of changes, which speak of the time after; out: frequency spans.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "model/span_sink.h"
#include "spans/name_book.h"
#include "spans/thread_table.h"

namespace kutrace::spans {

class Frequencies {
 public:
  Frequencies(NameBook& names, SpanSink& sink, const std::vector<CpuId>& cpus);

  // From here on, a notice on one CPU holds for all of them.
  void share_one_clock() { one_clock_ = true; }
  // The CPU's first block says how fast it runs from there on.
  void starts(CpuId cpu, Ns now, std::uint32_t mhz);
  // A sample: the CPU ran at `mhz` until now. A notice: it runs at `mhz` from now on.
  void sampled(CpuId cpu, Ns now, std::uint32_t mhz);
  void changes(CpuId cpu, Ns now, std::uint32_t mhz);
  // The CPU ran at `mhz` from the last word about its frequency until now.
  void ran(CpuId cpu, Ns now, std::uint32_t mhz);
  // Closes the CPU's span at `end`, if a notice still holds.
  void finish(CpuId cpu, Ns end);
  // Nothing is recorded of it from here on.
  void forget(CpuId cpu, Ns now) {
    finish(cpu, now);
    cpus_[cpu] = {};
  }

 private:
  struct Cpu {
    Ns since = kNever;      // last word about it
    std::uint32_t mhz = 0;  // said last
    bool holds = false;     // it speaks of the time after it
  };

  NameBook& names_;
  SpanSink& sink_;
  const std::vector<CpuId>& numbers_;
  std::vector<Cpu> cpus_;  // by number
  bool one_clock_ = false;
};

}  // namespace kutrace::spans
