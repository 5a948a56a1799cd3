// SPDX-License-Identifier: BSD-3-Clause
// What is not known. In: losses that the recorder declared, blocks that are missing, and threads
// that block headers name against what was known; out: loss spans, through Execution, and the list
// of losses. A declared loss is applied when its time has come.
#pragma once

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
  // Those whose time has come by `now` are applied.
  void until(CpuId cpu, Ns now) {
    std::vector<LossRecord>& ahead = cpus_[cpu].ahead;
    while (!ahead.empty() && ahead.front().begin <= now) apply_next(cpu);
  }
  // Blocks are missing. What the recorder declared as lost there has its own reason.
  void gap(CpuId cpu, Ns begin, Ns end);
  void lose(CpuId cpu, Ns begin, Ns end, unsigned reason);
  void lose(const LossRecord& record);

  // A block header names another thread than the one that ran. A switch was lost, unless a loss or
  // a switch follows that says so itself.
  void header_names(CpuId cpu, Ns now, Pid pid) { cpus_[cpu].header = {true, pid, now}; }
  bool header_waits(CpuId cpu) const { return cpus_[cpu].header.waits; }
  Pid header_pid(CpuId cpu) const { return cpus_[cpu].header.pid; }
  void forget_header(CpuId cpu) { cpus_[cpu].header.waits = false; }
  // Nothing followed that said so.
  void settle_header(CpuId cpu);

  // What was declared of times that no event reached.
  void finish(CpuId cpu);

 private:
  struct Header {
    bool waits = false;
    Pid pid = 0;
    Ns time = 0;
  };
  struct Cpu {
    std::vector<LossRecord> ahead;  // by begin
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
