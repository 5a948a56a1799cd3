// SPDX-License-Identifier: BSD-3-Clause
// Naming samples.
#include "spans/samples.h"

#include <algorithm>

#include "format/event_table.h"

namespace kutrace::spans {

Samples::Samples(NameTable& names, ThreadTable& threads, SpanSink& sink,
                 const timeline::CodeRecords& code, const TraceClock& clock, std::size_t cpus)
    : names_(names), threads_(threads), sink_(sink), last_(cpus, kNever) {
  for (const MapRecord& map : code.maps) names_.add(map, clock);
  for (const SymbolRecord& symbol : code.symbols) names_.add(symbol, clock);
}

void Samples::push(Span span, std::uint64_t program_counter) {
  const Ns now = span.start;
  span.kind = SpanKind::kSample;
  span.value = program_counter;
  span.event = is_kernel_address(program_counter) ? ev::kPC_KERNEL : ev::kPC_USER;
  const Thread* thread = threads_.find(span.pid);
  const bool known = thread != nullptr && thread->info.process != kNoPid;
  if (thread != nullptr && span.pid != 0) span.thread = thread->id;
  span.other = known ? thread->info.process : span.pid;
  span.name = names_.name(now, span.other, program_counter);
  Ns& last = last_[span.cpu];
  if (last != kNever) {
    span.start = std::min(last, now);
    span.duration = now - span.start;
  }
  last = now;
  sink_.push(span);
}

}  // namespace kutrace::spans
