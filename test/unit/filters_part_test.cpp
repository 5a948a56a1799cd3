// SPDX-License-Identifier: BSD-3-Clause
// The part of a trace that is of chosen threads: which interrupts are of it.
#include <catch2/catch.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "filters/part.h"

namespace kutrace::test {
namespace {

constexpr CallId kOfChosen{1};
constexpr CallId kOfOther{2};

class Calls : public SpanSink {
 public:
  void push(const Span& span) override { time += span.kind == SpanKind::kIrq ? span.duration : 0; }
  void call(const Call& call) override { ids.push_back(call.id); }

  Ns time = 0;
  std::vector<CallId> ids;
};

TEST_CASE("interrupts of a part are those that interrupted its threads, as their time is",
          "[filters]") {
  NameTable names;
  Calls calls;
  filters::Selection selection;
  selection.threads = filters::ChosenThreads{{10}, {}};
  filters::Part part({}, selection, names, calls);
  TraceInfo info;
  info.end = 100;
  info.cpus = {0};
  part.begin(info);
  for (const auto& [pid, id, at] : {std::tuple(Pid{10}, kOfChosen, Ns{0}), {20, kOfOther, 10}}) {
    Span span;
    span.cpu = 0;
    span.pid = pid;
    span.start = at;
    span.duration = 10;
    span.kind = SpanKind::kIrq;
    span.call = id;
    part.push(span);
    Call call;
    call.id = id;
    call.cpu = 0;
    call.pid = 0;
    call.begin = at;
    call.end = at + 10;
    call.kind = SpanKind::kIrq;
    part.call(call);
  }
  part.end(info);
  CHECK(calls.ids == std::vector<CallId>{kOfChosen});
  CHECK(calls.time == 10);
}

TEST_CASE("uncut, a part has what came before its window, and its facts are cut", "[filters]") {
  struct Spans : SpanSink {
    void push(const Span& span) override { times.push_back({span.start, span.duration}); }
    std::vector<std::pair<Ns, Ns>> times;
  };
  NameTable names;
  Spans spans;
  filters::Part part({{20, 30}}, {}, names, spans, filters::Part::Use::kUncut);
  for (const Ns at : {0, 15, 25}) {
    Span span;
    span.cpu = 0;
    span.start = at;
    span.duration = 10;
    part.push(span);
    span.kind = SpanKind::kMark;
    span.duration = 0;
    part.push(span);
  }
  TraceInfo info;
  info.end = 100;
  info.cpus = {0};
  part.end(info);
  CHECK(spans.times == std::vector<std::pair<Ns, Ns>>{{0, 10}, {15, 10}, {25, 10}, {25, 0}});
  CHECK(info.begin == 20);
  CHECK(info.end == 30);
}

TEST_CASE("lives outside of the part tell of names, and of no time", "[filters]") {
  struct Lives : SpanSink {
    void push(const Span&) override {}
    void life(const ThreadLife& life) override { lives.push_back(life); }
    std::vector<ThreadLife> lives;
  };
  const auto lives_in = [](filters::Part::Use use, bool by_cpu) {
    NameTable names;
    Lives lives;
    std::vector<TimeWindow> windows;
    filters::Selection selection;
    if (by_cpu) {
      selection.cpus = {0};
      selection.threads_of_cpus = {{15}, {}};
    } else {
      windows = {{0, 20}};
    }
    filters::Part part(windows, selection, names, lives, use);
    part.life({.thread = ThreadId{1}, .pid = 15, .end = 40, .executing = 40});
    part.life({.thread = ThreadId{1}, .pid = 10, .begin = 40, .end = 80, .executing = 30});
    return lives.lives;
  };
  for (const bool by_cpu : {false, true}) {
    const std::vector<ThreadLife> summed = lives_in(filters::Part::Use::kSums, by_cpu);
    REQUIRE(summed.size() == 2);
    CHECK(summed.front().executing == 40);
    CHECK(summed.back().pid == 10);
    CHECK(summed.back().executing == 0);
    CHECK(lives_in(filters::Part::Use::kRows, by_cpu).size() == 1);
    CHECK(lives_in(filters::Part::Use::kTimeline, by_cpu).size() == 1);
  }
}

TEST_CASE("a part tells the groups that its processes have of parents outside", "[filters]") {
  struct Ends : SpanSink {
    void push(const Span&) override {}
    void end(TraceInfo& info) override {
      for (const auto& [key, value] : info.facts)
        if (key == fact::kCgroup.text) told.push_back(value);
    }
    std::vector<std::string> told;
  };
  const auto told_of = [](const filters::Selection& selection) {
    NameTable names;
    Ends ends;
    filters::Part part({}, selection, names, ends);
    part.life({.thread = ThreadId{1}, .pid = 5, .process = 5, .end = 100});
    part.life(
        {.thread = ThreadId{2}, .pid = 10, .process = 10, .parent = 5, .begin = 7, .end = 90});
    part.life(
        {.thread = ThreadId{3}, .pid = 20, .process = 20, .parent = 5, .begin = 8, .end = 90});
    TraceInfo info;
    info.facts.add(fact::kCgroups, true);
    info.facts.add(fact::kCgroup, "5 1 /a");
    part.end(info);
    return ends.told;
  };
  filters::Selection selection;
  CHECK(told_of(selection) == std::vector<std::string>{"5 1 /a"});
  selection.threads = filters::ChosenThreads{{10}, {ThreadId{2}}};
  CHECK(told_of(selection) == std::vector<std::string>{"5 1 /a", "10 7 /a"});
}

}  // namespace
}  // namespace kutrace::test
