// SPDX-License-Identifier: BSD-3-Clause
// What coarsening promises, on random timelines.
#include "filters/coarsen.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <tuple>

#include "reports/law_check.h"
#include "tiles.h"

namespace kutrace::test {
namespace {

using Sort = std::tuple<CpuId, SpanKind, Pid, EventNum, NameId>;

Sort sort_of(const Span& span) { return {span.cpu, span.kind, span.pid, span.event, span.name}; }

std::map<Sort, Ns> totals(const std::vector<Span>& spans) {
  std::map<Sort, Ns> times;
  for (const Span& span : spans) times[sort_of(span)] += span.duration;
  return times;
}

// Per sort: at which time it had had how much time, at every begin and end of its spans.
std::map<Sort, std::vector<std::pair<Ns, Ns>>> progress_of(const std::vector<Span>& spans) {
  std::map<Sort, std::vector<std::pair<Ns, Ns>>> progress;
  for (const Span& span : spans) {
    auto& steps = progress[sort_of(span)];
    const Ns before = steps.empty() ? 0 : steps.back().second;
    steps.emplace_back(span.start, before);
    steps.emplace_back(span.start + span.duration, before + span.duration);
  }
  return progress;
}

Ns at(const std::vector<std::pair<Ns, Ns>>& steps, Ns time) {
  const auto next = std::upper_bound(steps.begin(), steps.end(), std::make_pair(time, Ns{1} << 62));
  if (next == steps.begin()) return 0;
  const auto& before = *std::prev(next);
  if (next == steps.end() || next->second == before.second) return before.second;
  return before.second + (time - before.first);
}

Ns worst_distance(const std::vector<Span>& in, const std::vector<Span>& out) {
  const auto a = progress_of(in);
  const auto b = progress_of(out);
  Ns worst = 0;
  for (const auto& [sort, steps] : a) {
    const auto& other = b.at(sort);
    for (const auto& [time, had] : steps) worst = std::max(worst, std::abs(had - at(other, time)));
    for (const auto& [time, had] : other) worst = std::max(worst, std::abs(had - at(steps, time)));
  }
  return worst;
}

reports::LawReport law_of(const std::vector<Span>& spans, const TraceInfo& info) {
  reports::LawCheck check;
  for (const Span& span : spans) check.push(span);
  TraceInfo known = info;
  check.end(known);
  return check.report();
}

TEST_CASE("coarsening keeps every sum, the law, and its bound on positions") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    NameTable names;
    const Tiles tiles = random_tiles(names, seed, 3, 2000, 500);
    for (const Ns resolution : {Ns{1}, Ns{100}, Ns{2000}, Ns{50'000}}) {
      Collector out;
      filters::Coarsen coarsen(resolution, out);
      for (const Span& span : tiles.spans) coarsen.push(span);
      TraceInfo info = tiles.info;
      coarsen.end(info);
      CAPTURE(seed, resolution);
      CHECK(totals(out.spans) == totals(tiles.spans));
      const reports::LawReport law = law_of(out.spans, info);
      for (const std::string& violation : law.violations.first) UNSCOPED_INFO(violation);
      CHECK(law.holds());
      CHECK(worst_distance(tiles.spans, out.spans) <= resolution);
      CHECK(out.spans.size() <= tiles.spans.size());
    }
  }
}

TEST_CASE("a resolution of one nanosecond changes nothing") {
  NameTable names;
  const Tiles tiles = random_tiles(names, 7, 1, 500, 1000);
  Collector out;
  filters::Coarsen coarsen(1, out);
  for (const Span& span : tiles.spans) coarsen.push(span);
  TraceInfo info = tiles.info;
  coarsen.end(info);
  REQUIRE(out.spans.size() == tiles.spans.size());
  for (std::size_t i = 0; i < out.spans.size(); ++i) {
    CHECK(out.spans[i].start == tiles.spans[i].start);
    CHECK(out.spans[i].arg == tiles.spans[i].arg);
    CHECK(out.spans[i].ipc == tiles.spans[i].ipc);
  }
}

Span tile(Ns start, Ns duration, SpanKind kind, Pid pid) {
  Span span;
  span.start = start;
  span.duration = duration;
  span.cpu = 0;
  span.kind = kind;
  span.pid = pid;
  span.event = static_cast<EventNum>(kind);
  return span;
}

TEST_CASE("idle time that short interrupts cut up becomes whole again") {
  //  idle 1000 |irq 10| idle 1000 |irq 10| ...   at a resolution of 100
  Collector out;
  filters::Coarsen coarsen(100, out);
  Ns now = 0;
  for (int i = 0; i < 30; ++i) {
    coarsen.push(tile(now, 1000, SpanKind::kIdle, 0));
    coarsen.push(tile(now + 1000, 10, SpanKind::kIrq, 0));
    now += 1010;
  }
  TraceInfo info;
  info.end = now;
  info.cpus = {0};
  coarsen.end(info);
  CHECK(out.spans.size() <= 6);
  CHECK(law_of(out.spans, info).holds());
}

TEST_CASE("loss is never folded and overlays that are left out are counted") {
  Collector out;
  filters::Coarsen coarsen(1000, out);
  coarsen.push(tile(0, 50, SpanKind::kUser, 5));
  coarsen.push(tile(50, 5, SpanKind::kLoss, kNoPid));
  coarsen.push(tile(55, 45, SpanKind::kUser, 5));
  Span wait = tile(0, 70, SpanKind::kWait, 6);
  coarsen.push(wait);
  Span mark = tile(20, 0, SpanKind::kMark, 5);
  coarsen.push(mark);
  TraceInfo info;
  info.end = 100;
  info.cpus = {0};
  coarsen.end(info);
  const auto losses = std::count_if(out.spans.begin(), out.spans.end(), [](const Span& span) {
    return span.kind == SpanKind::kLoss && span.duration == 5;
  });
  CHECK(losses == 1);
  CHECK(std::any_of(out.spans.begin(), out.spans.end(),
                    [](const Span& span) { return span.kind == SpanKind::kMark; }));
  CHECK(info.facts.get(fact::kLeftOut) == "1 wait of 70 ns in all");
}

}  // namespace
}  // namespace kutrace::test
