// SPDX-License-Identifier: BSD-3-Clause
// Counters as text and back, as raw traces and as facts have them; cut to a window; put together
// out of pieces.
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "format/counter_records.h"
#include "model/readings.h"
#include "raw/joined_counters.h"

namespace kutrace::test {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

CounterSeries series(std::uint32_t number, std::string name, Pid process = kNoPid,
                     bool is_total = false) {
  return {number, is_total, "bytes", process, std::move(name)};
}

TEST_CASE("counters and readings are read as they were written") {
  CounterRecords records;
  records.series = {series(0, "mem_free"), series(1, "a b = c", 4711, true),
                    series(4'000'000'000, "-")};
  records.readings = {{0, {{0, 0}, {1, -1}, {4'000'000'000, kLeast}}},
                      {kMost, {{0, kMost}, {1, std::nullopt}}}};
  const CounterRecords read = parse_counters(counter_texts(records));
  CHECK(read.series == records.series);
  CHECK(read.readings == records.readings);

  Facts facts;
  facts.add("title", "x");
  add_readings(facts, records);
  CHECK(readings_of(facts).series == records.series);
  CHECK(readings_of(facts).readings == records.readings);
}

TEST_CASE("a reading of many values is several texts of one time") {
  CounterReading reading{0x1234, {}};
  for (std::uint32_t number = 0; number < 5000; ++number) reading.values.push_back({number, kMost});
  CounterRecords records{{}, {reading}};
  const std::vector<std::string> texts = counter_texts(records);
  REQUIRE(texts.size() > 1);
  std::vector<CounterValue> values;
  for (const CounterReading& part : parse_counters(texts).readings) {
    CHECK(part.at == 0x1234);
    values.insert(values.end(), part.values.begin(), part.values.end());
  }
  CHECK(values == reading.values);
  for (const std::string& text : reading_texts(reading, 10, 100)) CHECK(text.size() <= 100);
}

TEST_CASE("what is no record is left out") {
  for (const char* text : {"",
                           "series",
                           "series ",
                           "series 1 level bytes -",
                           "series x level bytes - a",
                           "series 1 rate bytes - a",
                           "series 1 level bytes -2 a",
                           "series 1 level bytes x a",
                           "series -1 level bytes - a",
                           "series 1 level  - a",
                           "series 1 level bytes - ",
                           "reading",
                           "reading 10",
                           "reading 10 ",
                           "reading 10 1",
                           "reading 10 1=",
                           "reading 10 =1",
                           "reading 10 1=x",
                           "reading 10 1=2 x",
                           "reading x 1=2",
                           "reading 10 1=99999999999999999999",
                           "reading 10 1=2  2=3",
                           "other 10 1=2"}) {
    INFO(text);
    const CounterRecords records = parse_counters({text});
    CHECK(records.series.empty());
    CHECK(records.readings.empty());
  }
}

TEST_CASE("a window begins with what held") {
  const std::vector<CounterReading> all = {{10, {{0, 1}, {1, 5}, {2, 7}}},
                                           {20, {{0, 2}, {2, std::nullopt}}},
                                           {30, {{0, 3}}},
                                           {40, {{0, 4}}}};
  const auto cut = [&](std::int64_t begin, std::int64_t end) {
    std::vector<CounterReading> readings = all;
    cut_readings(readings, begin, end);
    return readings;
  };
  CHECK(cut(0, 100) == all);
  CHECK(cut(10, 40) == all);
  CHECK(cut(25, 35) == std::vector<CounterReading>{{25, {{0, 2}, {1, 5}}}, {30, {{0, 3}}}});
  CHECK(cut(30, 30) == std::vector<CounterReading>{{30, {{0, 3}, {1, 5}}}});
  CHECK(cut(50, 60) == std::vector<CounterReading>{{50, {{0, 4}, {1, 5}}}});
  CHECK(cut(0, 5).empty());
}

TEST_CASE("a level's part of an interval is weighed by time, a total's is its growth") {
  Facts facts;
  for (const char* text : {"7 level bytes - free", "3 total events 12 faults", "7 level x - again"})
    facts.add("counter", text);
  for (const char* text :
       {"100 7=10 3=1000", "200 7=30", "250 3=1500 99=1", "300 7=-", "400 7=50 3=1700", "nonsense"})
    facts.add("reading", text);
  const Readings readings(facts);
  REQUIRE(readings.series().size() == 2);
  const Readings::Series& free = readings.series()[0];
  const Readings::Series& faults = readings.series()[1];
  CHECK(free.told.name == "free");
  CHECK(faults.told.process == 12);

  CHECK(!free.at(99));
  CHECK(free.at(100) == 10);
  CHECK(free.at(299) == 30);
  CHECK(!free.at(300));
  CHECK(free.at(1000) == 50);

  CHECK(!free.in(0, 100));
  CHECK(!free.in(300, 400));
  const auto part = free.in(150, 350);
  REQUIRE(part);
  CHECK(part->first == 10);
  CHECK(part->last == 30);
  CHECK(part->least == 10);
  CHECK(part->most == 30);
  CHECK(part->known == 150);
  CHECK(part->mean == Approx((10 * 50 + 30 * 100) / 150.0));

  // Intervals that follow each other share what held between them, so that growths add up.
  std::int64_t grown = 0;
  for (Ns begin = 100; begin < 450; begin += 50) {
    const auto one = faults.in(begin, begin + 50);
    REQUIRE(one);
    const auto before = faults.at(begin - 1);
    grown += one->last - before.value_or(one->first);
  }
  CHECK(grown == 700);
}

TEST_CASE("pieces have one number for a counter, and nothing is known between them") {
  const std::vector<std::string> first = {"series 0 level bytes - a", "series 1 level bytes 5 b",
                                          "series 2 level bytes 5 b", "reading 10 0=1 1=2 2=3"};
  const std::vector<std::string> second = {"series 0 level bytes 5 b", "series 1 level bytes - c",
                                           "reading 30 0=4 1=5", "reading 90 0=9"};
  raw::JoinedCounters joined;
  joined.add(first, {0x10, 0x20, false});
  joined.add(second, {0x40, 0x50, true});
  const CounterRecords all = parse_counters(joined.texts());
  REQUIRE(all.series.size() == 4);
  CHECK(all.series[3].name == "c");
  const std::vector<CounterReading> expected = {
      {0x10, {{0, 1}, {1, 2}, {2, 3}}},
      {0x20, {{0, std::nullopt}, {1, std::nullopt}, {2, std::nullopt}}},
      {0x40, {{1, 4}, {3, 5}}}};
  CHECK(all.readings == expected);

  raw::JoinedCounters adjoining;
  adjoining.add(first, {0x10, 0x20, false});
  adjoining.add(first, {0x20, 0x30, true});
  for (const CounterReading& reading : parse_counters(adjoining.texts()).readings)
    for (const CounterValue& value : reading.values) CHECK(value.value);
}

}  // namespace
}  // namespace kutrace::test
