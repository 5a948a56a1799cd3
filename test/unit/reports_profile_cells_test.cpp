// SPDX-License-Identifier: BSD-3-Clause
// Cells of a profile beside sums that are kept one by one: what waits in a queue, what leaves by
// the dozen, and pieces that calls join, end up where they belong.
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>

#include "reports/profile_cells.h"

namespace kutrace::reports {
namespace {

using Key = std::tuple<std::uint32_t, NameId, std::uint32_t, SpanKind>;

struct Sums {
  Ns total = 0;
  std::uint64_t pieces = 0;
  Ns lasted = 0;
  Ns on_cpu = 0;
  Ns blocked = 0;
  bool has_calls = false;
  DurationHistogram durations;
};

class Both {
 public:
  void add(const Span& span, std::uint32_t cpu, std::uint32_t thread) {
    cells_.add(rows(cpu, thread), span);
    for (const std::uint32_t row : {cpu, thread}) piece(row, span);
  }
  void add(const Call& call, std::uint32_t cpu, std::uint32_t thread) {
    cells_.add(rows(cpu, thread), call);
    for (const std::uint32_t row : {cpu, thread}) whole(row, call);
  }
  // The call ends with the piece that was added last.
  void join(const Call& call, std::uint32_t cpu, std::uint32_t thread) {
    cells_.add_to_piece(2, call);
    for (const std::uint32_t row : {cpu, thread}) whole(row, call);
  }

  void check_same(std::uint32_t rows) {
    cells_.finish();
    std::size_t count = 0;
    const auto by_row = cells_.by_row(rows);
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (const std::uint32_t cell : by_row[row]) {
        const ProfileSums sums = cells_.sums(cell);
        const Sums& expected = sums_.at({row, sums.name, sums.arg, sums.kind});
        CAPTURE(row, sums.name);
        CHECK(sums.total == expected.total);
        CHECK(sums.pieces == expected.pieces);
        CHECK(sums.lasted == expected.lasted);
        CHECK(sums.calls_on_cpu == expected.on_cpu);
        CHECK(sums.calls_blocked == expected.blocked);
        CHECK(sums.has_calls == expected.has_calls);
        CHECK(sums.durations.count() == expected.durations.count());
        CHECK(sums.durations.longest() == expected.durations.longest());
        CHECK(sums.durations.powers().counts == expected.durations.powers().counts);
        for (const double part : {0.01, 0.5, 0.99})
          CHECK(sums.durations.quantile(part) == expected.durations.quantile(part));
        ++count;
      }
    }
    CHECK(count == sums_.size());
  }

 private:
  static ProfileCells::Rows rows(std::uint32_t cpu, std::uint32_t thread) {
    ProfileCells::Rows rows;
    rows.add(cpu);
    rows.add(thread);
    return rows;
  }
  void piece(std::uint32_t row, const Span& span) {
    Sums& sums = sums_[{row, span.name, 0, span.kind}];
    sums.total += span.duration;
    ++sums.pieces;
    if (!sums.has_calls) sums.durations.add(span.duration);
  }
  void whole(std::uint32_t row, const Call& call) {
    Sums& sums = sums_[{row, call.name, 0, call.kind}];
    if (!sums.has_calls) sums.durations = {};
    sums.has_calls = true;
    sums.lasted += call.duration();
    sums.on_cpu += call.on_cpu;
    sums.blocked += call.blocked;
    sums.durations.add(call.duration());
  }

  ProfileCells cells_;
  std::map<Key, Sums> sums_;
};

Span span_of(NameId name, Ns duration) {
  Span span;
  span.name = name;
  span.kind = SpanKind::kSyscall;
  span.duration = duration;
  return span;
}

Call call_of(NameId name, Ns duration) {
  Call call;
  call.name = name;
  call.kind = SpanKind::kSyscall;
  call.end = duration;
  call.on_cpu = duration / 2;
  call.blocked = duration / 4;
  return call;
}

TEST_CASE("cells of a profile add up as if each were added by itself") {
  std::mt19937_64 random(7);
  for (const std::uint32_t names : {1U, 3U, 400U}) {
    Both both;
    constexpr std::uint32_t kCpus = 4;
    constexpr std::uint32_t kThreads = 20;
    for (int i = 0; i < 30'000; ++i) {
      const auto name = static_cast<NameId>(1 + random() % names);
      const auto cpu = static_cast<std::uint32_t>(random() % kCpus);
      const auto thread = static_cast<std::uint32_t>(kCpus + random() % kThreads);
      // Some are longer than any that waits in a cell, also before the first call is over.
      const Ns duration = static_cast<Ns>(random() >> (24 + random() % 40));
      const auto what = random() % 8;
      if (what < 5) both.add(span_of(name, duration), cpu, thread);
      if (what < 3) both.join(call_of(name, 2 * duration), cpu, thread);
      if (what == 7 && i > 5'000) both.add(call_of(name, duration), cpu, thread);
    }
    both.check_same(kCpus + kThreads);
  }
}

TEST_CASE("pieces are counted beyond what a cell holds of them, and dozens of durations") {
  for (const int count : {1, 11, 12, 13, 24, 255, 256, 257, 700}) {
    CAPTURE(count);
    Both pieces;
    for (int i = 0; i < count; ++i) pieces.add(span_of(1, 100 + i), 0, 1);
    pieces.check_same(2);
    // Their durations give way to those of calls, wherever they wait.
    Both calls;
    for (int i = 0; i < count; ++i) calls.add(span_of(1, 100 + i), 0, 1);
    calls.join(call_of(1, 5000), 0, 1);
    calls.check_same(2);
  }
}

}  // namespace
}  // namespace kutrace::reports
