// SPDX-License-Identifier: BSD-3-Clause
// Time of which nothing is known. In: losses that the recorder declared, blocks that are missing,
// and block headers that name another thread than the one that was known to run; out: loss spans,
// through Execution, and the list of losses. A declared loss is applied when its CPU has come that
// far.
#pragma once

#include <map>
#include <vector>

#include "model/trace_info.h"
#include "spans/execution.h"
#include "spans/ipis.h"
#include "timeline/event.h"
#include "timeline/stream_facts.h"

namespace kutrace::spans {

class LostTime {
 public:
  LostTime(const timeline::StreamFacts& facts, Execution& execution, Ipis& ipis, TraceInfo& info);

  // An entry of kind LOSS.
  void declared(const timeline::Event& event);
  // Applies the declared losses of the CPU that begin by `now`.
  void until(CpuId cpu, Ns now) {
    const Ahead& ahead = cpus_[cpu].ahead;
    while (!ahead.empty() && ahead.begin()->first <= now) apply_next(cpu);
  }
  // Blocks are missing in [begin, end). What the recorder declared within keeps its own reason.
  void gap(CpuId cpu, Ns begin, Ns end);
  // What the CPU did in [begin, end) is not known. `reason`: enum kutrace_loss_reason.
  void lose(CpuId cpu, Ns begin, Ns end, unsigned reason);
  void lose(const LossRecord& record);

  // The header of a block that begins at `now` names another thread than the one known to run. A
  // switch was lost, unless a loss or an unseen switch follows and says so itself.
  void header_names(CpuId cpu, Ns now, Pid pid) { cpus_[cpu].header = {true, pid, now}; }
  bool header_waits(CpuId cpu) const { return cpus_[cpu].header.waits; }
  Pid header_pid(CpuId cpu) const { return cpus_[cpu].header.pid; }
  void forget_header(CpuId cpu) { cpus_[cpu].header.waits = false; }
  // Nothing explained that header: the time since the CPU's last event is lost.
  void settle_header(CpuId cpu);

  // Applies what was declared of times that no event of the CPU reached.
  void finish(CpuId cpu);

 private:
  using Ahead = std::multimap<Ns, LossRecord>;  // by begin
  struct Header {
    bool waits = false;
    Pid pid = 0;
    Ns time = 0;
  };
  struct Cpu {
    Ahead ahead;
    Header header;
  };
  void apply_next(CpuId cpu);

  Execution& execution_;
  Ipis& ipis_;
  TraceInfo& info_;
  TraceClock clock_;
  bool complete_;
  std::vector<Cpu> cpus_;  // by number
};

}  // namespace kutrace::spans
