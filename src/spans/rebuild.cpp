// SPDX-License-Identifier: BSD-3-Clause
// Layout, stream and builder put together.
#include "spans/rebuild.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "model/begin_groups.h"
#include "spans/span_builder.h"
#include "timeline/calls_at_begin.h"
#include "timeline/event_stream.h"
#include "timeline/stream_facts.h"
#include "timeline/trace_layout.h"

namespace kutrace::spans {

namespace {

constexpr std::uint64_t kEventsPerReport = 1 << 18;

Counters counted(const decode::DecodeCounters& decoded) {
  Counters counters;
  counters.add(Counter::kEntryBadLength, decoded.bad_length);
  counters.add(Counter::kEntryPastBlockEnd, decoded.past_block_end);
  counters.add(Counter::kTsdeltaRefused, decoded.tsdelta_refused);
  counters.add(Counter::kLateStore, decoded.late_store);
  return counters;
}

struct Soon {
  const SpanBuilder& builder;
  bool wanted() const { return builder.has_many_threads(); }
  void operator()(const timeline::Event& event, Ahead ahead) const { builder.expect(event, ahead); }
};

}  // namespace

Result<TraceInfo> rebuild(const RawFile& file, NameTable& names, SpanSink& sink,
                          const Counters& opened, const std::function<void(double)>& progress) {
  KUTRACE_ASSIGN(const timeline::TraceLayout layout, timeline::lay_out(file));
  timeline::StreamFacts facts = timeline::stream_facts(layout);
  facts.counters.add(opened);
  if (facts.wrapped && facts.own_source && facts.switches)
    facts.calls_at_begin = timeline::calls_at_begin(layout);
  std::optional<BeginGroups> groups;
  if (timeline::may_tell_moves(facts)) groups.emplace(sink);
  SpanBuilder builder(facts, names, groups ? *groups : sink);
  timeline::EventStream stream(layout);
  // At most: an entry has a word or more. For progress alone.
  const double expected = static_cast<double>(std::max<std::uint64_t>(1, file.size() / 8));
  std::uint64_t seen = 0;
  stream.run(
      [&](const timeline::Event& event) {
        try {
          builder.push(event);
        } catch (const Bug& bug) {
          // Where a promise was broken is what a report of it needs most.
          throw Bug(fmt::format("{}, at event {:03x} of CPU {}, {} ns", bug.what(),
                                event.entry.number, event.cpu, event.time));
        }
        if (++seen % kEventsPerReport == 0 && progress) {
          progress(std::min(1.0, static_cast<double>(seen) / expected));
        }
      },
      Soon{builder});
  return builder.finish(counted(stream.counters()));
}

}  // namespace kutrace::spans
