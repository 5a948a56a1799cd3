// SPDX-License-Identifier: BSD-3-Clause
// How long control groups were throttled in a part of a trace, as counters of it tell.
#include <catch2/catch.hpp>

#include "model/readings.h"
#include "model/throttling.h"

namespace kutrace::test {
namespace {

Facts facts() {
  CounterRecords records;
  records.series = {{0, true, "events", kNoPid, "quota_periods /box"},
                    {1, true, "events", kNoPid, "throttled_periods /box"},
                    {2, true, "ns", kNoPid, "throttled /box"},
                    {3, true, "ns", kNoPid, "throttled /box/idle"},
                    {4, true, "ns", kNoPid, "throttled /boxer"},
                    {5, true, "ns", kNoPid, "throttled"}};
  records.readings = {{10, {{0, 100}, {1, 40}, {2, 5000}, {3, 7}, {4, 0}, {5, 0}}},
                      {500, {{0, 104}, {1, 43}, {2, 5300}}},
                      {990, {{0, 109}, {1, 45}, {2, 5900}, {4, 50}, {5, 99}}}};
  Facts facts;
  add_readings(facts, records);
  return facts;
}

}  // namespace

TEST_CASE("a group was throttled by what its counters grew") {
  const Throttling all(facts(), {{0, 1000}});
  REQUIRE(all.all().size() == 2);
  const Throttled& box = all.all().front();
  CHECK(box.cgroup == "/box");
  CHECK(box.time == 900);
  CHECK(box.periods == 9);
  CHECK(box.throttled_periods == 5);
  CHECK(box.told == TimeWindow{10, 990});
  CHECK(all.all().back().cgroup == "/boxer");
}

TEST_CASE("what came before a window is not of it, nor what a cut left of that") {
  Facts cut = facts();
  cut_readings(cut, 200, 1000);
  const Throttling piece(cut, {{200, 1000}});
  REQUIRE(piece.all().size() == 1);
  CHECK(piece.all().front().time == 600);
  CHECK(piece.all().front().told == TimeWindow{500, 990});
  CHECK(Throttling(facts(), {{0, 400}}).all().empty());
  CHECK(Throttling(Facts(), {{0, 1000}}).all().empty());
}

TEST_CASE("what a group was throttled between two windows is of none of them") {
  CounterRecords more;
  more.series = {{2, true, "ns", kNoPid, "throttled /more"}};
  more.readings = {{100, {{2, 10}}}, {200, {{2, 30}}}, {600, {{2, 500}}}, {700, {{2, 501}}}};
  Facts facts;
  add_readings(facts, more);
  const Throttling part(facts, {{50, 250}, {550, 800}});
  REQUIRE(part.all().size() == 1);
  CHECK(part.all().front().time == 21);
  CHECK(part.all().front().told == TimeWindow{100, 700});
}

TEST_CASE("a group is throttled with those that it is in, and with none that has a longer name") {
  const Throttling all(facts(), {{0, 1000}});
  const auto of = [&](const char* path) { return all.of(path, CgroupPart::kPath).size(); };
  CHECK(of("/box") == 1);
  CHECK(of("/box/idle") == 1);
  CHECK(of("/boxer") == 1);
  CHECK(of("/box/idle/more") == 1);
  CHECK(of("/") == 0);
  CHECK(of("?") == 0);
}

}  // namespace kutrace::test
