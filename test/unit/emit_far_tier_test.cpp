// SPDX-License-Identifier: BSD-3-Clause
// What stands for many overlays from afar.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "emit/page/far_tier.h"

namespace kutrace {
namespace {

emit::SlabOverlay overlay(SpanKind what, Ns start, Ns duration, CpuId cpu = 0,
                          ThreadIndex thread = 2) {
  emit::SlabOverlay span;
  span.what = what;
  span.start = start;
  span.duration = duration;
  span.cpu = cpu;
  span.thread = thread;
  return span;
}

void add(emit::FarTier& tier, const emit::SlabOverlay& span) {
  const emit::SlabOverlay* const one = &span;
  tier.add({&one, 1});
}

TEST_CASE("few overlays stay as they are") {
  emit::FarTier tier(100);
  for (int i = 0; i < 100; i++) add(tier, overlay(SpanKind::kSample, 10 * i, 10));
  const std::vector<emit::SlabOverlay> all = tier.take();
  CHECK(tier.added() == 100);
  REQUIRE(all.size() == 100);
  CHECK(all[99].start == 990);
  CHECK(tier.take().empty());
}

TEST_CASE("samples of a row that are put together reach from the first to the last") {
  emit::FarTier tier(100);
  constexpr Ns kApart = 1'000'000;
  for (int i = 0; i < 100'000; i++) {
    for (CpuId cpu = 0; cpu < 2; cpu++) {
      add(tier, overlay(SpanKind::kSample, i * kApart, kApart, cpu));
    }
  }
  CHECK(tier.added() == 200'000);
  const std::vector<emit::SlabOverlay> all = tier.take();
  REQUIRE(all.size() <= 100);
  REQUIRE(all.size() > 20);
  Ns covered = 0;
  for (const emit::SlabOverlay& span : all) covered += span.duration;
  CHECK(covered == 2 * 100'000 * kApart);
}

TEST_CASE("marks of a thread that moves from CPU to CPU stay on the rows of both") {
  emit::FarTier tier(100);
  // On CPU 1 always right behind the one on CPU 0, which is the first of every slice.
  for (int i = 0; i < 10'000; i++) {
    for (CpuId cpu = 0; cpu < 2; cpu++)
      add(tier, overlay(SpanKind::kMark, Ns{i} * 2000 + static_cast<Ns>(cpu), 0, cpu));
  }
  const std::vector<emit::SlabOverlay> all = tier.take();
  REQUIRE(all.size() <= 100);
  const auto of_second = std::count_if(all.begin(), all.end(),
                                       [](const emit::SlabOverlay& span) { return span.cpu == 1; });
  CHECK(of_second > 10);
}

TEST_CASE("the longest wakeup of a slice stands for the others, where it was") {
  emit::FarTier tier(100);
  for (int i = 0; i < 10'000; i++) {
    add(tier, overlay(SpanKind::kWakeupArc, i * 1000, i == 7'777 ? 900 : 100 + i % 7));
  }
  const std::vector<emit::SlabOverlay> all = tier.take();
  REQUIRE(all.size() <= 100);
  int found = 0;
  for (const emit::SlabOverlay& span : all) {
    CHECK(span.duration <= 900);
    if (span.duration == 900) found += span.start == 7'777 * 1000 ? 1 : 100;
  }
  CHECK(found == 1);
}

TEST_CASE("a frequency is the mean over time") {
  emit::FarTier tier(16);
  for (int i = 0; i < 4096; i++) {
    emit::SlabOverlay span = overlay(SpanKind::kFrequency, 4000 * i, i % 2 == 0 ? 3000 : 1000);
    if (i % 2 == 1) span.start -= 1000;
    span.arg = i % 2 == 0 ? 1000 : 3000;
    add(tier, span);
  }
  for (const emit::SlabOverlay& span : tier.take()) {
    CHECK(span.arg >= 1490);
    CHECK(span.arg <= 1510);
  }
}

TEST_CASE("threads and names stay apart") {
  emit::FarTier tier(64);
  for (unsigned i = 0; i < 1000; i++) {
    emit::SlabOverlay mark = overlay(SpanKind::kMark, i, 0, 0, 2 + i % 4);
    mark.kind = i % 3;
    add(tier, mark);
  }
  CHECK(tier.take().size() >= 12);
}

TEST_CASE("where there are more rows than were asked for, each has at least one slice") {
  constexpr unsigned kRows = 1000;
  emit::FarTier tier(64);
  for (unsigned i = 0; i < 40 * kRows; i++) {
    add(tier, overlay(SpanKind::kSample, Ns{1000} * i, 1000, 0, 2 + i % kRows));
  }
  const std::size_t size = tier.take().size();
  CHECK(size >= kRows);
  CHECK(size <= 2 * kRows);
}

TEST_CASE("what very many threads have on many CPUs takes few rows, and is true there") {
  constexpr unsigned kThreads = 400;
  constexpr Ns kApart = 1000;
  for (const SpanKind what : {SpanKind::kMark, SpanKind::kSample}) {
    emit::FarTier tier(16);
    const Ns length = what == SpanKind::kSample ? kApart : 0;
    for (unsigned i = 0; i < 40 * kThreads; i++) {
      add(tier, overlay(what, kApart * i, length, i / kThreads, 2 + i % kThreads));
    }
    const std::vector<emit::SlabOverlay> all = tier.take();
    CHECK(all.size() >= kThreads);
    CHECK(all.size() <= 2 * kThreads + 4 * 16);
    std::set<ThreadIndex> threads;
    for (const emit::SlabOverlay& span : all) {
      threads.insert(span.thread);
      CHECK(span.cpu == span.start / kApart / kThreads);
      CHECK(span.duration == length);
    }
    CHECK(threads.size() == kThreads);
  }
}

TEST_CASE("overlays at the ends of time come to an end, too") {
  constexpr Ns kFar = Ns{1} << 61;
  emit::FarTier tier(16);
  for (int i = 0; i < 1000; i++) {
    add(tier, overlay(SpanKind::kWakeupArc, (i % 2 == 0 ? kFar : -kFar) + i, kFar));
  }
  CHECK(tier.take().size() <= 1000);
}

}  // namespace
}  // namespace kutrace
