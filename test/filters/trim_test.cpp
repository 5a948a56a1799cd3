// SPDX-License-Identifier: BSD-3-Clause
// Trimming by time, CPU, thread, group and mark: the law holds, and what stays is what was there.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <tuple>

#include "filters/families.h"
#include "filters/part.h"
#include "filters/select.h"
#include "filters/survey.h"
#include "filters/trim_time.h"
#include "reports/law_check.h"
#include "tiles.h"

namespace kutrace::test {
namespace {

void require_law(const std::vector<Span>& spans, const TraceInfo& info) {
  reports::LawCheck check;
  for (const Span& span : spans) check.push(span);
  TraceInfo known = info;
  check.end(known);
  const reports::LawReport law = check.report();
  for (const std::string& violation : law.violations.first) UNSCOPED_INFO(violation);
  REQUIRE(law.holds());
}

// Time that the trace's spans, but hidden ones, have inside the windows.
Ns share(const std::vector<Span>& spans, const std::vector<TimeWindow>& windows) {
  Ns sum = 0;
  for (const Span& span : spans) {
    if (span.kind == SpanKind::kHidden) continue;
    for (const TimeWindow& window : windows) {
      sum += std::max<Ns>(
          0, std::min(span.start + span.duration, window.end) - std::max(span.start, window.begin));
    }
  }
  return sum;
}

struct Trimmed {
  Collector out;
  TraceInfo info;
};

void trim(const Tiles& tiles, NameTable& names, const std::vector<TimeWindow>& windows, bool whole,
          Trimmed& result) {
  std::optional<TimeWindow> reach;
  if (whole) {
    filters::WholeReach far(windows);
    for (const Span& span : tiles.spans) far.push(span);
    reach = far.reach();
  }
  filters::TrimTime filter(windows, reach, names, result.out);
  for (const Span& span : tiles.spans) filter.push(span);
  result.info = tiles.info;
  filter.end(result.info);
}

TEST_CASE("a trimmed trace has exactly the window's share of the time") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    NameTable names;
    const Tiles tiles = random_tiles(names, seed, 3, 600, 500);
    const Ns end = tiles.info.end;
    const std::vector<TimeWindow> windows =
        tidy_windows({{end / 7, end / 5}, {end / 3, end / 2}, {end / 2 - 10, end * 2 / 3}}, 0, end);
    REQUIRE(windows.size() == 2);
    Trimmed cut;
    trim(tiles, names, windows, false, cut);
    require_law(cut.out.spans, cut.info);
    CHECK(cut.info.begin == end / 7);
    CHECK(cut.info.end == end * 2 / 3);
    CHECK(share(cut.out.spans, {{0, end}}) == share(tiles.spans, windows));
    Trimmed whole;
    trim(tiles, names, windows, true, whole);
    require_law(whole.out.spans, whole.info);
    for (const Span& span : whole.out.spans) {
      if (span.kind == SpanKind::kHidden) continue;
      CHECK(std::any_of(tiles.spans.begin(), tiles.spans.end(), [&](const Span& in) {
        return in.cpu == span.cpu && in.start == span.start && in.duration == span.duration;
      }));
    }
  }
}

TEST_CASE("a window beyond the recording's end ends with the recording") {
  NameTable names;
  const Tiles tiles = random_tiles(names, 3, 2, 100, 500);
  Trimmed cut;
  trim(tiles, names, {{tiles.info.end - 1000, tiles.info.end + 5000}}, false, cut);
  CHECK(cut.info.end == tiles.info.end);
  require_law(cut.out.spans, cut.info);
}

TEST_CASE("overlays are cut at the edges, moments at an edge stay, losses are cut") {
  NameTable names;
  Tiles tiles = random_tiles(names, 4, 1, 50, 500);
  const auto overlay = [&](SpanKind kind, Ns start, Ns duration) {
    Span span;
    span.kind = kind;
    span.start = start;
    span.duration = duration;
    span.pid = 9;
    tiles.spans.push_back(span);
  };
  overlay(SpanKind::kWait, 50, 100);    // reaches into the window from the left
  overlay(SpanKind::kWait, 10, 90);     // ends where it begins
  overlay(SpanKind::kMark, 100, 0);     // at its begin
  overlay(SpanKind::kMark, 200, 0);     // at its end
  overlay(SpanKind::kMark, 201, 0);     // after it
  overlay(SpanKind::kWait, 190, 1000);  // reaches out to the right
  tiles.info.losses = {{0, 0, 120, 5, 1}, {0, 300, 400, 5, 1}};
  Trimmed cut;
  trim(tiles, names, {{100, 200}}, false, cut);
  std::vector<std::pair<Ns, Ns>> seen;
  for (const Span& span : cut.out.spans) {
    if (!is_execution(span.kind)) seen.emplace_back(span.start, span.duration);
  }
  CHECK(seen == std::vector<std::pair<Ns, Ns>>{{100, 50}, {100, 0}, {200, 0}, {190, 10}});
  REQUIRE(cut.info.losses.size() == 1);
  CHECK(cut.info.losses[0].begin == 100);
  CHECK(cut.info.losses[0].end == 120);
}

TEST_CASE("of losses that part stays which lies in a window") {
  NameTable names;
  Tiles tiles = random_tiles(names, 4, 1, 50, 500);
  constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  tiles.info.losses = {{0, 0, 120, 5, 1},    {0, 100, 100, 6, 2}, {0, 150, 350, 7, 1},
                       {0, 200, 250, 8, 1},  {0, 200, 310, 9, 1}, {0, 250, 250, 10, 2},
                       {0, 400, 400, 11, 2}, {0, 400, 500, 12, 1}};
  Trimmed cut;
  trim(tiles, names, {{100, 200}, {300, 400}}, false, cut);
  std::vector<std::array<std::uint64_t, 3>> seen;
  for (const LossRecord& loss : cut.info.losses) {
    seen.push_back({static_cast<std::uint64_t>(loss.begin), static_cast<std::uint64_t>(loss.end),
                    loss.entries});
  }
  CHECK(seen == std::vector<std::array<std::uint64_t, 3>>{{100, 120, 5},
                                                          {100, 100, 6},
                                                          {150, 200, kUnknown},
                                                          {300, 350, kUnknown},
                                                          {300, 310, 9},
                                                          {400, 400, 11}});
}

TEST_CASE("what has a length lies over the windows alone") {
  NameTable names;
  Tiles tiles = random_tiles(names, 4, 1, 50, 500);
  const auto overlay = [&](SpanKind kind, Ns start, Ns duration, std::uint64_t value) {
    Span span;
    span.kind = kind;
    span.start = start;
    span.duration = duration;
    span.pid = 9;
    span.value = value;
    tiles.spans.push_back(span);
  };
  overlay(SpanKind::kWait, 200, 150, 0);       // from the end of a window
  overlay(SpanKind::kLockHeld, 50, 1000, 0);   // over both
  overlay(SpanKind::kFunction, 150, 400, 70);  // of its own time, 70
  overlay(SpanKind::kWakeupArc, 150, 200, 0);  // leads from one to the other
  Trimmed cut;
  trim(tiles, names, {{100, 200}, {300, 400}}, false, cut);
  using Seen = std::tuple<SpanKind, Ns, Ns, std::uint64_t>;
  std::vector<Seen> seen;
  for (const Span& span : cut.out.spans) {
    if (!is_execution(span.kind))
      seen.emplace_back(span.kind, span.start, span.start + span.duration, span.value);
  }
  CHECK(seen == std::vector<Seen>{{SpanKind::kWait, 300, 350, 0},
                                  {SpanKind::kLockHeld, 100, 200, 0},
                                  {SpanKind::kLockHeld, 300, 400, 0},
                                  {SpanKind::kFunction, 150, 200, 50},
                                  {SpanKind::kFunction, 300, 400, 20},
                                  {SpanKind::kWakeupArc, 150, 350, 0}});
}

TEST_CASE("what a selection leaves out is hidden, loss never, and the law holds") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    NameTable names;
    const Tiles tiles = random_tiles(names, seed, 4, 1000, 500);
    filters::Selection selection;
    selection.cpus = std::unordered_set<CpuId>{1, 3};
    selection.threads = filters::ChosenThreads{{101}, {}};
    Collector out;
    filters::Select select(selection, names, out);
    for (const Span& span : tiles.spans) select.push(span);
    TraceInfo info = tiles.info;
    select.end(info);
    CHECK(info.cpus == std::vector<CpuId>{1, 3});
    require_law(out.spans, info);
    const auto kept = [](const Span& span) {
      return (span.cpu == 1 || span.cpu == 3) && (span.pid == 101 || span.kind == SpanKind::kLoss);
    };
    const auto shown = [](const Span& span) { return span.kind != SpanKind::kHidden; };
    CHECK(std::count_if(tiles.spans.begin(), tiles.spans.end(), kept) ==
          std::count_if(out.spans.begin(), out.spans.end(), shown));
    Ns end_of_hidden[4] = {-1, -1, -1, -1};
    for (const Span& span : out.spans) {
      if (shown(span)) continue;
      CHECK(span.start != end_of_hidden[span.cpu]);
      end_of_hidden[span.cpu] = span.start + span.duration;
    }
  }
}

TEST_CASE("a group selects spans of its events and the points of events.def") {
  Span call;
  call.kind = SpanKind::kSyscall;
  CHECK(filters::span_group(call) == filters::SpanGroup::syscalls);
  Span point;
  point.kind = SpanKind::kPoint;
  point.event = 0x206;
  CHECK(filters::span_group(point) == filters::SpanGroup::wakeups);
  const auto groups = filters::SpanGroups::parse("syscalls,marks");
  REQUIRE(groups);
  CHECK(groups->has(filters::SpanGroup::syscalls));
  CHECK(!groups->has(filters::SpanGroup::irqs));
  CHECK(!filters::SpanGroups::parse("syscalls,nonsense"));
}

Span mark_at(NameTable& names, Ns time, const std::string& label) {
  Span span;
  span.kind = SpanKind::kMark;
  span.start = time;
  span.pid = 1;
  span.name = names.intern("mark_a=" + label);
  return span;
}

TEST_CASE("windows between marks: repeated, unfinished, and with labels of six characters") {
  NameTable names;
  filters::Survey survey({.label = "request", .thread_names = {}, .cpus = {}}, names);
  for (const auto& [time, label] : std::vector<std::pair<Ns, std::string>>{
           {10, "request"}, {20, "/request"}, {25, "/request"}, {40, "other"}, {50, "request"}}) {
    survey.push(mark_at(names, time, label));
  }
  CHECK(survey.labelled(100) == std::vector<TimeWindow>{{10, 20}, {50, 100}});
  CHECK(survey.around(5) == std::vector<TimeWindow>{{5, 15}, {45, 55}});

  filters::Survey six({.label = "abcdef", .thread_names = {}, .cpus = {}}, names);
  six.push(mark_at(names, 1, "abcdef"));
  six.push(mark_at(names, 2, "/abcde"));
  CHECK(six.labelled(9) == std::vector<TimeWindow>{{1, 2}});
}

TEST_CASE("threads are found by any name they had, and by what ran on a CPU") {
  NameTable names;
  filters::Survey survey(
      {.label = {}, .thread_names = {"serv*"}, .cpus = std::unordered_set<CpuId>{2}}, names);
  Span user;
  user.kind = SpanKind::kUser;
  user.pid = 5;
  user.cpu = 2;
  user.name = names.intern("server");
  survey.push(user);
  user.pid = 6;
  user.cpu = 1;
  user.name = names.intern("client");
  survey.push(user);
  TraceInfo info;
  info.threads[5].name = names.intern("renamed");
  info.threads[6].name = names.intern("client");
  info.threads[7].name = names.intern("service");
  survey.end(info);
  CHECK(survey.chosen(false).pids == std::unordered_set<Pid>{5, 7});
  CHECK(survey.ran_on_cpus().pids == std::unordered_set<Pid>{5});
}

TEST_CASE("of two threads that had one number, the one that ran on a CPU did, and is woken") {
  NameTable names;
  Span user;
  user.kind = SpanKind::kUser;
  user.pid = 5;
  filters::Survey survey({.label = {}, .thread_names = {}, .cpus = std::unordered_set<CpuId>{2}},
                         names);
  for (const CpuId cpu : {CpuId{2}, CpuId{1}}) {
    user.cpu = cpu;
    user.thread = ThreadId{cpu};
    survey.push(user);
  }
  CHECK(survey.ran_on_cpus().has(5, ThreadId{2}));
  CHECK_FALSE(survey.ran_on_cpus().has(5, ThreadId{1}));
  filters::Selection selection;
  selection.threads = {{5}, {ThreadId{2}}};
  std::size_t wakeups = 0;
  struct Count : SpanSink {
    explicit Count(std::size_t& of) : wakeups(of) {}
    void push(const Span& span) override {
      if (span.kind == SpanKind::kWakeupArc) ++wakeups;
    }
    std::size_t& wakeups;
  } count(wakeups);
  filters::Part part({}, selection, names, count);
  Span arc;
  arc.kind = SpanKind::kWakeupArc;
  arc.other = 5;
  for (const ThreadId thread : {ThreadId{2}, ThreadId{1}}) {
    user.thread = thread;
    part.push(user);
    part.push(arc);
  }
  CHECK(wakeups == 1);
}

}  // namespace
}  // namespace kutrace::test
