// SPDX-License-Identifier: BSD-3-Clause
// The part of a trace that sums are made of: nothing of the windows is missing, nothing else in it.
#include "filters/part.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "base/text.h"
#include "filters/survey.h"
#include "tiles.h"

namespace kutrace::test {
namespace {

class Everything : public Collector {
 public:
  void call(const Call& call) override { calls.push_back(call); }
  void life(const ThreadLife& life) override { lives.push_back(life); }
  std::vector<Call> calls;
  std::vector<ThreadLife> lives;
};

Ns inside(const Span& span, const std::vector<TimeWindow>& windows) {
  Ns sum = 0;
  for (const TimeWindow& window : windows) {
    sum += std::max<Ns>(
        0, std::min(span.start + span.duration, window.end) - std::max(span.start, window.begin));
  }
  return sum;
}

// Waits, marks and wakeups anywhere, also across the edges of windows.
void add_overlays(Tiles& tiles, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 300; ++i) {
    Span span;
    constexpr SpanKind kKinds[] = {SpanKind::kWait, SpanKind::kMark, SpanKind::kWakeupArc};
    span.kind = kKinds[random() % std::size(kKinds)];
    span.start = static_cast<Ns>(random() % static_cast<std::uint64_t>(tiles.info.end));
    if (span.kind != SpanKind::kMark) {
      span.duration = std::min(static_cast<Ns>(random() % 40'000), tiles.info.end - span.start);
    }
    span.pid = 100 + static_cast<Pid>(random() % 4);
    span.other = 100 + static_cast<Pid>(random() % 4);
    tiles.spans.push_back(span);
  }
}

Everything part_of(const Tiles& tiles, NameTable& names, const std::vector<TimeWindow>& windows,
                   const filters::Selection& selection) {
  Everything out;
  filters::Part part(windows, selection, names, out);
  for (const Span& span : tiles.spans) part.push(span);
  TraceInfo info = tiles.info;
  part.end(info);
  return out;
}

}  // namespace

TEST_CASE("every CPU's spans of a part add up to its windows, and waits to what lies in them") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    NameTable names;
    Tiles tiles = random_tiles(names, seed, 3, 600, 500);
    add_overlays(tiles, seed);
    const Ns end = tiles.info.end;
    const std::vector<TimeWindow> windows =
        tidy_windows({{end / 7, end / 5}, {end / 3, end / 2}, {end * 3 / 4, end + 99}}, 0, end);
    Ns all = 0;
    for (const TimeWindow& window : windows) all += window.end - window.begin;
    for (const bool some : {false, true}) {
      filters::Selection selection;
      if (some) selection.threads = filters::ChosenThreads{{101, 102}, {}};
      const auto wanted = [&](Pid pid) { return selection.wants_thread(pid, ThreadId::kNone); };
      const Everything out = part_of(tiles, names, windows, selection);
      std::map<CpuId, Ns> executing;
      Ns waiting = 0;
      for (const Span& span : out.spans) {
        if (!is_arc(span.kind)) CHECK(inside(span, windows) == span.duration);
        if (is_execution(span.kind)) executing[span.cpu] += span.duration;
        if (span.kind == SpanKind::kWait) waiting += span.duration;
      }
      CHECK(executing == std::map<CpuId, Ns>{{0, all}, {1, all}, {2, all}});
      Ns waited = 0;
      std::ptrdiff_t begun = 0;
      for (const Span& span : tiles.spans) {
        if (span.kind == SpanKind::kWait && wanted(span.pid)) waited += inside(span, windows);
        const bool begins = span.kind == SpanKind::kMark || is_arc(span.kind);
        const Pid whose = is_arc(span.kind) ? span.other : span.pid;
        if (begins && wanted(whose) && lies_in(windows, span.start)) ++begun;
      }
      CHECK(waiting == waited);
      CHECK(begun == std::ranges::count_if(out.spans, [](const Span& span) {
              return span.kind == SpanKind::kMark || is_arc(span.kind);
            }));
    }
  }
}

TEST_CASE("a part has the calls that begin in it, whole, and the lives that reach into it") {
  NameTable names;
  Everything out;
  filters::Selection selection;
  selection.threads = filters::ChosenThreads{{7}, {ThreadId{1}}};
  filters::Part part({{100, 200}, {300, 400}}, selection, names, out, filters::Part::Use::kRows);
  const auto call = [&](Ns begin, Ns end, std::uint32_t thread) {
    Call made;
    made.begin = begin;
    made.end = end;
    made.pid = 7;
    made.thread = ThreadId{thread};
    part.call(made);
  };
  call(100, 999, 1);
  call(200, 210, 1);  // between two windows
  call(50, 150, 1);   // before the first
  call(399, 400, 1);
  call(150, 160, 2);  // of another thread that had the number
  CHECK(out.calls.size() == 2);
  CHECK(out.calls.front().end == 999);
  const auto life = [&](Ns begin, Ns end, std::uint32_t thread) {
    ThreadLife lived;
    lived.begin = begin;
    lived.end = end;
    lived.pid = 7;
    lived.thread = ThreadId{thread};
    part.life(lived);
  };
  life(0, 100, 1);
  life(0, 101, 1);
  life(200, 300, 1);
  life(350, 360, 1);
  life(0, 1000, 2);
  CHECK(out.lives.size() == 2);
}

TEST_CASE("a name is found as it is, and as it is printed") {
  for (const char* said : {"new\nline", "new\\12line", "new*"}) {
    NameTable names;
    filters::Survey survey({.label = {}, .thread_names = {said}, .cpus = {}}, names);
    Span span;
    span.pid = 5;
    span.name = names.intern(printable("new\nline"));
    survey.push(span);
    CHECK(survey.has_named());
  }
}

TEST_CASE("of threads that had one number in turn, a name means those that had it") {
  NameTable names;
  filters::Survey survey({.label = {}, .thread_names = {"server"}, .cpus = {}}, names);
  const auto ran = [&](Pid pid, std::uint32_t thread, const char* name) {
    Span span;
    span.pid = pid;
    span.thread = ThreadId{thread};
    span.name = names.intern(name);
    survey.push(span);
  };
  const auto lived = [&](Pid pid, std::uint32_t thread, const char* name) {
    ThreadLife life;
    life.pid = pid;
    life.thread = ThreadId{thread};
    life.name = names.intern(name);
    survey.life(life);
  };
  ran(5, 1, "server");
  lived(5, 1, "server");
  ran(5, 2, "client");
  lived(5, 2, "client");
  ran(6, 3, "client");
  lived(6, 3, "server");  // named so when it had run for the last time
  ran(8, 4, "client");
  TraceInfo info;
  info.threads[5].name = names.intern("client");
  survey.end(info);
  CHECK(survey.has_named());
  const filters::ChosenThreads chosen = survey.chosen(false);
  CHECK(chosen.pids == std::unordered_set<Pid>{5, 6});
  CHECK(chosen.threads == std::unordered_set<ThreadId>{ThreadId{1}, ThreadId{3}});
  CHECK(chosen.has(5, ThreadId{1}));
  CHECK_FALSE(chosen.has(5, ThreadId{2}));
  CHECK(chosen.has(5, ThreadId::kNone));
  CHECK_FALSE(chosen.has(8, ThreadId{4}));
}

TEST_CASE("a selection hides the thread that had a chosen number but is not meant") {
  NameTable names;
  filters::Selection selection;
  selection.threads = filters::ChosenThreads{{5}, {ThreadId{1}}};
  Everything out;
  filters::Select select(selection, names, out);
  Ns now = 0;
  for (const std::uint32_t thread : {1u, 2u, 1u}) {
    Span span;
    span.start = now;
    now += 10;
    span.duration = 10;
    span.cpu = 0;
    span.pid = 5;
    span.thread = ThreadId{thread};
    select.push(span);
  }
  TraceInfo info;
  select.end(info);
  REQUIRE(out.spans.size() == 3);
  CHECK(out.spans[1].kind == SpanKind::kHidden);
}

}  // namespace kutrace::test
