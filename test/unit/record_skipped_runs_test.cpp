// SPDX-License-Identifier: BSD-3-Clause
// Which runs of hooks the kernel skipped, from readings of its counters.
#include <catch2/catch.hpp>

#include "record/blocks/clock.h"
#include "record/source/skipped_runs.h"

using namespace kutrace;

TEST_CASE("what the first reading has was skipped before the recording") {
  record::SkippedRunCounter counter;
  counter.read("sys_enter", 7, 100);
  CHECK(counter.all().empty());
  counter.read("sys_enter", 7, 200);
  CHECK(counter.all().empty());
}

TEST_CASE("skipped runs lie between the readings that differ") {
  record::SkippedRunCounter counter;
  for (const char* hook : {"sys_exit", "sys_enter"}) counter.read(hook, 0, 100);
  counter.read("sys_enter", 0, 200);
  counter.read("sys_enter", 2, 300);
  counter.read("sys_enter", 2, 400);
  counter.read("sys_enter", 5, 500);
  counter.read("sys_enter", 5, 600);
  counter.read("sys_exit", 1, 600);
  const std::vector<record::SkippedRuns> all = counter.all();
  REQUIRE(all.size() == 2);
  CHECK(all[0].hook == "sys_enter");
  CHECK(all[0].runs == 5);
  CHECK(all[0].begin == 200);
  CHECK(all[0].end == 500);
  CHECK(all[1].hook == "sys_exit");
  CHECK(all[1].runs == 1);
  CHECK(all[1].begin == 100);
  CHECK(all[1].end == 600);
  CHECK(record::total_of(all) == 6);
}

TEST_CASE("who reads from a moment on is told of what was skipped since") {
  const std::vector<record::SkippedRuns> before = {{"sys_enter", 5, 200, 500},
                                                   {"sys_exit", 1, 100, 600}};
  const std::vector<record::SkippedRuns> since = record::skipped_since(
      700, before, {{"sched_switch", 4, 800, 900}, {"sys_enter", 7, 200, 950}, before[1]});
  REQUIRE(since.size() == 2);
  CHECK(since[0].hook == "sched_switch");
  CHECK(since[0].runs == 4);
  CHECK(since[0].begin == 800);
  CHECK(since[0].end == 900);
  CHECK(since[1].hook == "sys_enter");
  CHECK(since[1].runs == 2);
  CHECK(since[1].begin == 700);
  CHECK(since[1].end == 950);
}

TEST_CASE("skipped runs are told by hook, number and time since the start") {
  const Ticks start = 1000;
  const auto second = static_cast<Ticks>(1e9 / record::kMonotonicRate.ns(1));
  CHECK(record::skipped_text({"sys_enter", 12, start + second, start + 2 * second}, start,
                             record::kMonotonicRate) == "sys_enter 12 (1.00..2.00 s)");
  CHECK(record::skipped_text({"sys_exit", 1, 0, start}, start, record::kMonotonicRate) ==
        "sys_exit 1 (0.00..0.00 s)");
}
