// SPDX-License-Identifier: BSD-3-Clause
// Pairing interrupts with who sent them.
#include "spans/ipis.h"

#include <algorithm>

#include "format/event_table.h"

namespace kutrace::spans {

namespace {

constexpr EventNum kFirstIpiVector = 0x5f0;

bool is_ipi(EventNum call) {
  return event_class(call) == EventClass::kIrq && call >= kFirstIpiVector &&
         call != ev::kBottomHalf;
}

}  // namespace

void Ipis::sent(CpuId from, CpuId to, Ns now, bool by_store, char reason) {
  if (to >= cpus_.size()) return;
  Latest& latest = cpus_[to];
  if (to != from) {
    latest = {now, from, by_store, reason};
  } else if (latest.sent == kNever) {
    latest.reason = 0;  // work of its own that it puts off: who sent the last one has no part in it
  }
}

void Ipis::begins_after(CpuId cpu, EventNum call, Ns now) {
  // No interrupt answers a store: the CPU goes on with whatever comes next.
  if (cpus_[cpu].by_store || is_ipi(call)) arrived(cpu, now);
}

Ns Ipis::woke(CpuId cpu, Ns slept_since, Ns now) {
  const Ns sent = cpus_[cpu].sent;
  if (sent == kNever || sent < slept_since || sent > now) return kNever;
  arrived(cpu, now);
  return sent;
}

void Ipis::arrived(CpuId cpu, Ns now) {
  Latest& latest = cpus_[cpu];
  Span arc;
  arc.start = latest.sent;
  arc.duration = std::max<Ns>(0, now - latest.sent);
  arc.cpu = latest.from;
  arc.arg = cpu;
  arc.event = ev::kSEND_IPI;
  arc.name = names_.intern("-ipi-");
  arc.kind = SpanKind::kIpiArc;
  sink_.push(arc);
  // The reason stays: threads are woken after the interrupt has begun.
  latest.sent = kNever;
}

}  // namespace kutrace::spans
