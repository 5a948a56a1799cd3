// SPDX-License-Identifier: BSD-3-Clause
// What the daemon tells of its clock: as it was said, and as it is where nothing is said.
#include <catch2/catch.hpp>
#include <string>

#include "record/served/served_protocol.h"

namespace kutrace::test {
namespace {

record::ServedAnswer answer_of_module() {
  record::ServedAnswer answer;
  answer.groups = EventGroups::standard();
  answer.cpus = {0, 1};
  answer.source = "module";
  answer.clock = "tsc";
  answer.tick_ns_numerator = 64'000'000;
  answer.tick_ns_denominator = 2'999'998;
  answer.counter = 117'388'055'499;
  answer.monotonic_ns = 2'504'278'577'312;
  return answer;
}

std::string with(std::string line, const std::string& from, const std::string& to) {
  return line.replace(line.find(from), from.size(), to);
}

TEST_CASE("A reader is told which clock the daemon's blocks have", "[daemon]") {
  const auto answer = record::parse_answer(record::line_of(answer_of_module()));
  REQUIRE(answer);
  CHECK(answer->source == "module");
  CHECK(answer->clock == "tsc");
  CHECK(answer->tick_rate().ns(2'999'998) == Approx(64'000'000));
  CHECK(answer->counter == 117'388'055'499);
  CHECK(answer->monotonic_ns == 2'504'278'577'312);
}

TEST_CASE("A daemon that says nothing of its clock counts in ticks of 16 ns", "[daemon]") {
  const auto answer = record::parse_answer(
      R"({"kutrace":1,"view":"all","groups":["sched"],"cpus":[0],"of tomorrow":[1]})");
  REQUIRE(answer);
  CHECK(answer->source == "ebpf");
  CHECK(answer->clock == record::kMonotonicClock);
  CHECK(answer->tick_rate().ns(1) == Approx(16));
}

TEST_CASE("A clock that cannot be is not understood", "[daemon]") {
  const std::string line = record::line_of(answer_of_module());
  for (const char* tick : {"[64000000,0]", "[0,1]", "[64000000]", "[1,64000000]", "\"16\""})
    CHECK_FALSE(record::parse_answer(with(line, "[64000000,2999998]", tick)));
  CHECK_FALSE(record::parse_answer(with(line, "[117388055499,2504278577312]", "[1,2,3]")));
}

TEST_CASE("A reader says whether it understands any clock", "[daemon]") {
  const auto old = record::parse_request(R"({"kutrace":1,"groups":["sched"],"arguments":true})");
  REQUIRE(old);
  CHECK_FALSE(old->clocks);
  record::ServedRequest request{EventGroups::standard(), false, true};
  const auto now = record::parse_request(record::line_of(request));
  REQUIRE(now);
  CHECK(now->clocks);
}

TEST_CASE("A reader's end tells what the kernel skipped while it read", "[daemon]") {
  record::ServedEnd end;
  end.stop = 900;
  end.skipped = {{"sys_enter", 2, 700, 800}, {"sys_exit", 1, 750, 900}};
  const std::string line = record::line_of(end);
  const auto told = record::parse_end(line);
  REQUIRE(told);
  REQUIRE(told->skipped.size() == 2);
  CHECK(told->skipped[1].hook == "sys_exit");
  CHECK(told->skipped[1].runs == 1);
  CHECK(told->skipped[1].begin == 750);
  CHECK(told->skipped[1].end == 900);
  CHECK_FALSE(record::parse_end(with(line, "[2,700,800]", "[2,700]")));
  CHECK_FALSE(record::parse_end(with(line, "\"sys_exit\"", "\"sys_exit\",\"more\"")));
  CHECK(record::parse_end(R"({"ended":900,"lost":[],"missed":[],"by":""})"));
}

}  // namespace
}  // namespace kutrace::test
