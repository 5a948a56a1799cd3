// SPDX-License-Identifier: BSD-3-Clause
// Sums over calls and threads of times that together do not fit.
#include <catch2/catch.hpp>
#include <limits>

#include "model/call.h"
#include "reports/law_check.h"

namespace kutrace::test {
namespace {

constexpr Ns kLong = Ns{3} << 61;
constexpr Ns kMost = std::numeric_limits<Ns>::max();

TEST_CASE("times of calls that together do not fit add up to the most there is") {
  reports::LawCheck law(reports::Nesting::kNotTold);
  for (const std::uint32_t id : {1u, 2u, 3u}) {
    Call call;
    call.id = CallId{id};
    call.end = kLong;
    law.call(call);
  }
  TraceInfo info;
  law.end(info);
  const reports::LawReport report = law.report();
  CHECK(report.calls.total == kMost);
  CHECK(report.calls.unknown == kMost);
}

TEST_CASE("lives of threads that together do not fit add up to the most there is") {
  reports::LawCheck law;
  for (const std::uint32_t id : {1u, 2u, 3u}) {
    ThreadLife life;
    life.thread = ThreadId{id};
    life.end = kLong;
    law.life(life);
  }
  TraceInfo info;
  law.end(info);
  const reports::LawReport report = law.report();
  CHECK(report.threads.total == kMost);
  CHECK(report.threads.unknown == kMost);
}

}  // namespace
}  // namespace kutrace::test
