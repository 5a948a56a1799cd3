// SPDX-License-Identifier: BSD-3-Clause
// Which calls lie within requests.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "reports/requests.h"

namespace kutrace::test {
namespace {

using reports::Interval;
using reports::Requests;

Call call_of(Pid pid, Ns begin, Ns end) {
  Call call;
  call.pid = pid;
  call.thread = ThreadId{static_cast<std::uint32_t>(pid)};
  call.begin = begin;
  call.end = end;
  return call;
}

Interval request_of(Pid pid, Ns begin, Ns end) {
  return {
      .begin = begin, .end = end, .pid = pid, .thread = ThreadId{static_cast<std::uint32_t>(pid)}};
}

TEST_CASE("the call that ends a request is of it, that with whose return it begins is not") {
  Requests requests;
  requests.add(request_of(7, 100, 200));
  requests.finish();
  CHECK(requests.has(call_of(7, 150, 200)));
  CHECK(requests.has(call_of(7, 100, 120)));
  CHECK_FALSE(requests.has(call_of(7, 90, 100)));
  CHECK_FALSE(requests.has(call_of(7, 150, 201)));
  CHECK_FALSE(requests.has(call_of(7, 200, 210)));
  CHECK_FALSE(requests.has(call_of(8, 150, 200)));
  CHECK(requests.has(call_of(7, 200, 200)));
  CHECK_FALSE(requests.has(call_of(7, 100, 100)));
}

TEST_CASE("a call is within requests where it is within one of them, however they overlap") {
  std::mt19937_64 random(3);
  const auto below = [&](Ns most) {
    return static_cast<Ns>(random() % static_cast<unsigned>(most));
  };
  std::size_t within = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Interval> all(1 + random() % 12);
    Requests requests;
    Ns total = 0;
    for (Interval& request : all) {
      const Ns begin = below(100);
      request = request_of(static_cast<Pid>(1 + random() % 3), begin, begin + 1 + below(40));
      requests.add(request);
      total += request.duration();
    }
    requests.finish();
    CHECK(requests.total() == total);
    CHECK(requests.durations().count() == all.size());
    for (int i = 0; i < 50; ++i) {
      const Ns begin = below(140);
      const Call call = call_of(static_cast<Pid>(1 + random() % 3), begin, begin + below(20));
      const bool expected = std::ranges::any_of(all, [&](const Interval& request) {
        return request.pid == call.pid && request.begin < call.end && call.end <= request.end;
      });
      CHECK(requests.has(call) == expected);
      within += expected ? 1 : 0;
    }
  }
  CHECK(within > 500);
}

}  // namespace
}  // namespace kutrace::test
