// SPDX-License-Identifier: BSD-3-Clause
// Interrupts that one CPU sends to another. In: the sending, and what the other CPU does next; out:
// arcs from sender to receiver, and why a thread waited that the receiver wakes for the sender.
#pragma once

#include <vector>

#include "base/units.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "spans/thread_table.h"

namespace kutrace::spans {

class Ipis {
 public:
  // `cpus`: one more than the highest CPU number.
  Ipis(NameTable& names, SpanSink& sink, std::size_t cpus)
      : names_(names), sink_(sink), cpus_(cpus) {}

  // CPU `from` sends an interrupt to CPU `to`. `by_store`: it stores to what `to` monitors instead,
  // which no interrupt answers. `reason`: letter of the wait that the sender's routine ends, 0 if
  // the routine does not tell.
  void sent(CpuId from, CpuId to, Ns now, bool by_store, char reason);
  // A call or return begins on a CPU that is not asleep; an interrupt may be the answer.
  void begins(CpuId cpu, EventNum call, Ns now) {
    if (cpus_[cpu].sent != kNever) begins_after(cpu, call, now);
  }
  // The CPU slept from `slept_since` to `now`. Returns when the interrupt that woke it was sent,
  // kNever if none did.
  Ns woke(CpuId cpu, Ns slept_since, Ns now);
  // Reason given with the last interrupt sent to the CPU; 0: none is known.
  char reason(CpuId cpu) const { return cpus_[cpu].reason; }
  void forget(CpuId cpu) { cpus_[cpu].sent = kNever; }

 private:
  struct Latest {      // to one CPU
    Ns sent = kNever;  // if nothing answered it yet
    CpuId from = kNoCpu;
    bool by_store = false;
    char reason = 0;
  };
  void begins_after(CpuId cpu, EventNum call, Ns now);
  void arrived(CpuId cpu, Ns now);

  NameTable& names_;
  SpanSink& sink_;
  std::vector<Latest> cpus_;
};

}  // namespace kutrace::spans
