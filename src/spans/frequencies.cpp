// SPDX-License-Identifier: BSD-3-Clause
// Words about frequencies to spans between them.
#include "spans/frequencies.h"

#include <algorithm>

#include "format/event_table.h"

namespace kutrace::spans {

Frequencies::Frequencies(NameBook& names, SpanSink& sink, const std::vector<CpuId>& cpus)
    : names_(names), sink_(sink), numbers_(cpus), cpus_(cpus.empty() ? 0 : cpus.back() + 1) {}

void Frequencies::starts(CpuId cpu, Ns now, std::uint32_t mhz) { cpus_[cpu] = {now, mhz, true}; }

void Frequencies::sampled(CpuId cpu, Ns now, std::uint32_t mhz) {
  ran(cpu, now, mhz);
  cpus_[cpu] = {now, mhz, false};
}

void Frequencies::changes(CpuId cpu, Ns now, std::uint32_t mhz) {
  const auto change = [&](CpuId of) {
    ran(of, now, cpus_[of].mhz);
    cpus_[of] = {now, mhz, true};
  };
  if (!one_clock_) return change(cpu);
  for (const CpuId of : numbers_) change(of);
}

void Frequencies::ran(CpuId cpu, Ns now, std::uint32_t mhz) {
  Ns& since = cpus_[cpu].since;
  if (since != kNever && mhz != 0) {
    Span span;
    span.start = std::min(since, now);
    span.duration = now - span.start;
    span.cpu = cpu;
    span.event = ev::kFREQUENCY;
    span.arg = mhz;
    span.name = names_.point(ev::kFREQUENCY);
    span.kind = SpanKind::kFrequency;
    sink_.push(span);
  }
  since = now;
}

void Frequencies::finish(CpuId cpu, Ns end) {
  // A notice holds until the end; a sample speaks of the time before it only.
  if (cpus_[cpu].holds) ran(cpu, end, cpus_[cpu].mhz);
}

}  // namespace kutrace::spans
