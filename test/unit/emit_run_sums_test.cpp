// SPDX-License-Identifier: BSD-3-Clause
// Which slabs make a run whose sums are told, and for which ranges of time they hold.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "emit/page/run_sums.h"

namespace kutrace {
namespace {

constexpr std::size_t kEnough = 1'000'000;  // bytes of a slab whose sums are small beside it

// One after the other on one CPU, from `begin` on.
std::vector<emit::SlabSpan> executions(Ns begin, std::vector<Ns> durations, KindIndex kind = 0) {
  std::vector<emit::SlabSpan> spans;
  for (const Ns duration : durations) {
    emit::SlabSpan& span = spans.emplace_back();
    span.start = begin;
    span.duration = duration;
    span.kind = kind;
    span.thread = 2;
    span.cpu = 0;
    begin = span.end();
  }
  return spans;
}

TEST_CASE("a run ends where its sums are a small part of its slabs") {
  emit::RunSums sums;
  for (Ns slab = 0; slab < 4; ++slab) sums.add(executions(100 * slab, {10, 90}), {}, {}, 250);
  REQUIRE(sums.runs().size() == 1);
  CHECK(sums.runs()[0].first == 0);
  CHECK(sums.runs()[0].slabs == 3);
  sums.add(executions(400, {10, 90}), {}, {}, kEnough);
  REQUIRE(sums.runs().size() == 2);
  CHECK(sums.runs()[1].first == 3);
  CHECK(sums.runs()[1].slabs == 2);
  CHECK(sums.encoded().bytes().size() > 2 * 7 * 8);
}

TEST_CASE("a run tells the range that has all of it: moments lie before its end") {
  emit::RunSums plain;
  plain.add(executions(100, {10, 90}), {}, {}, kEnough);
  REQUIRE(plain.runs().size() == 1);
  CHECK(plain.runs()[0].begin == 100);
  CHECK(plain.runs()[0].end == 200);

  emit::RunSums moments;
  moments.add(executions(100, {0, 100, 0}), {}, {}, kEnough);
  CHECK(moments.runs()[0].begin == 99);
  CHECK(moments.runs()[0].end == 201);

  emit::RunSums others;
  emit::SlabCall call;
  call.begin = 120;
  call.end = 250;
  emit::SlabOverlay mark;
  mark.what = SpanKind::kMark;
  mark.start = 260;
  others.add(executions(100, {100}), {&call, 1}, {&mark, 1}, kEnough);
  CHECK(others.runs()[0].begin == 100);
  CHECK(others.runs()[0].end == 261);
}

TEST_CASE("a new thread's way out of the call that made it is in no sum") {
  emit::SlabCall birth;
  birth.begin = 120;
  birth.end = 250;
  birth.birth = true;
  emit::RunSums with;
  with.add(executions(100, {100}), {&birth, 1}, {}, kEnough);
  emit::RunSums without;
  without.add(executions(100, {100}), {}, {}, kEnough);
  CHECK(std::ranges::equal(with.encoded().bytes(), without.encoded().bytes()));
  CHECK(with.runs()[0].end == 200);
}

TEST_CASE("slabs of very many kinds, or of times that no reader counts, are in no run") {
  emit::RunSums sums;
  std::vector<emit::SlabSpan> many;
  for (KindIndex kind = 0; kind < 5000; ++kind) {
    many.push_back(executions(kind, {1}, kind).front());
  }
  sums.add(many, {}, {}, kEnough);
  sums.add(executions(0, {Ns{1} << 53}), {}, {}, kEnough);
  CHECK(sums.runs().empty());
  sums.add(executions(5000, {10}), {}, {}, kEnough);
  REQUIRE(sums.runs().size() == 1);
  CHECK(sums.runs()[0].first == 2);
}

}  // namespace
}  // namespace kutrace
