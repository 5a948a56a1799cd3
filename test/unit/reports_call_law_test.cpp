// SPDX-License-Identifier: BSD-3-Clause
// The law of calls where very many are open at a time and end in any order.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "reports/call_law.h"

namespace kutrace::test {
namespace {

constexpr Ns kLength = 10;

// Calls that each have two pieces, told in one order and ended in another; one may have a piece
// more than it says.
struct OpenAtOnce {
  explicit OpenAtOnce(std::uint32_t calls, unsigned seed) : random(seed) {
    for (std::uint32_t id = 1; id <= calls; ++id) ids.push_back(id);
  }

  void piece(std::uint32_t id, Ns start) {
    Span span;
    span.kind = SpanKind::kSyscall;
    span.start = start;
    span.duration = kLength;
    span.call = CallId{id};
    span.call_slot = id;
    law.piece(span);
  }
  void all_pieces(Ns start) {
    std::ranges::shuffle(ids, random);
    for (const std::uint32_t id : ids) piece(id, start);
  }
  void end(std::uint32_t id) {
    law.call({.id = CallId{id},
              .slot = id,
              .end = 4 * kLength,
              .own = 2 * kLength,
              .on_cpu = 2 * kLength,
              .pieces = 2,
              .result = {},
              .waits = {}},
             violations);
  }
  std::uint64_t end_all() {
    std::ranges::shuffle(ids, random);
    for (const std::uint32_t id : ids) end(id);
    law.finish(violations);
    return violations.count;
  }

  std::mt19937 random;
  std::vector<std::uint32_t> ids;
  reports::CallLaw law;
  reports::Violations violations;
};

TEST_CASE("calls are told apart, however many are open and in whatever order they end") {
  for (const std::uint32_t calls : {1u, 100u, 129u, 5000u}) {
    CAPTURE(calls);
    OpenAtOnce whole(calls, calls);
    whole.all_pieces(0);
    whole.all_pieces(kLength);
    CHECK(whole.end_all() == 0);

    OpenAtOnce more(calls, calls);
    more.all_pieces(0);
    more.all_pieces(kLength);
    more.piece(calls / 2 + 1, 2 * kLength);
    CHECK(more.end_all() == 1);

    OpenAtOnce outside(calls, calls);
    outside.all_pieces(0);
    outside.all_pieces(4 * kLength);
    CHECK(outside.end_all() == calls);
  }
}

TEST_CASE("a call that is over and goes on is one that never ends") {
  OpenAtOnce calls(300, 1);
  calls.all_pieces(0);
  calls.all_pieces(kLength);
  for (std::uint32_t id = 1; id <= 300; ++id) calls.end(id);
  calls.piece(7, 2 * kLength);
  calls.law.finish(calls.violations);
  CHECK(calls.violations.first == std::vector<std::string>{"1 calls never end"});
}

}  // namespace
}  // namespace kutrace::test
