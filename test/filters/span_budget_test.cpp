// SPDX-License-Identifier: BSD-3-Clause
// How coarse an overview must be: as little as can be, and never finer than what was asked for.
#include "filters/span_budget.h"

#include <catch2/catch.hpp>
#include <limits>

namespace kutrace::test {
namespace {

constexpr Ns kSecond = 1'000'000'000;

// A CPU for a second: 10,000 spans of 100 us, each cut in a hundred by `cuts` of 1 us.
filters::SpanBudget budget_of(bool cuts) {
  filters::SpanBudget budget;
  Span span;
  for (int i = 0; i < 10'000; i++) {
    span.duration = cuts ? 1000 : 100'000;
    for (int part = 0; part < (cuts ? 100 : 1); part++) budget.push(span);
  }
  return budget;
}

TraceInfo one_cpu() {
  TraceInfo info;
  info.end = kSecond;
  info.cpus = {0};
  return info;
}

}  // namespace

TEST_CASE("what fits is not coarsened") {
  const filters::SpanBudget budget = budget_of(false);
  CHECK(budget.count() == 10'000);
  CHECK(budget.resolution_for(1'000'000, one_cpu()) == 1);
}

TEST_CASE("the resolution leaves no more spans than were asked for, and is not far coarser") {
  const filters::SpanBudget budget = budget_of(true);
  CHECK(budget.count() == 1'000'000);
  const Ns resolution = budget.resolution_for(100'000, one_cpu());
  // A second in 100,000 pieces: 10 us each.
  CHECK(resolution >= 10'000);
  CHECK(resolution <= 50'000);
}

TEST_CASE("fewer spans need a coarser resolution, up to the whole trace") {
  const filters::SpanBudget budget = budget_of(true);
  Ns last = 0;
  for (const std::uint64_t most : {1'000'000u, 100'000u, 1000u, 10u, 1u}) {
    const Ns resolution = budget.resolution_for(most, one_cpu());
    CHECK(resolution >= last);
    last = resolution;
  }
  CHECK(last >= kSecond / 2);
}

TEST_CASE("steps are 1, 2, 5 and 10") {
  CHECK(filters::SpanBudget::coarser(1) == 2);
  CHECK(filters::SpanBudget::coarser(2) == 5);
  CHECK(filters::SpanBudget::coarser(5) == 10);
  CHECK(filters::SpanBudget::coarser(20'000) == 50'000);
  for (Ns resolution = 1; resolution < filters::SpanBudget::kCoarsest;) {
    const Ns next = filters::SpanBudget::coarser(resolution);
    REQUIRE(next > resolution);
    resolution = next;
  }
  CHECK(filters::SpanBudget::coarser(filters::SpanBudget::kCoarsest) ==
        filters::SpanBudget::kCoarsest);
  CHECK(filters::SpanBudget::coarser(std::numeric_limits<Ns>::max()) ==
        filters::SpanBudget::kCoarsest);
}

}  // namespace kutrace::test
