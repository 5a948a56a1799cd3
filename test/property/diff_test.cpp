// SPDX-License-Identifier: BSD-3-Clause
// Comparisons of generated recordings: one with itself, two either way around, sums that agree with
// the other reports; how often noise is taken for a change, and whether planted changes are found.
#include "reports/diff.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "filters/part.h"
#include "reports/profile.h"
#include "reports/stat.h"
#include "reports/syscalls.h"
#include "spans/rebuild.h"
#include "support/load_generator.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

using reports::DiffBy;
using reports::DiffMeasure;
using reports::DiffRow;
using reports::DiffSums;

struct Side {
  reports::DiffRows rows;
  Ns recorded = 0;
  bool noise = false;
};

RawFile raw_of(std::vector<std::byte> bytes) {
  auto file = RawFile::open(MappedFile::from_bytes(std::move(bytes), "made"));
  REQUIRE(file);
  return std::move(*file);
}

Side side_of(const RawFile& file, const std::vector<TimeWindow>& windows = {}) {
  NameTable names;
  reports::DiffSide side(names, windows);
  filters::Part part(windows, {}, names, side);
  const auto info = spans::rebuild(file, names, part);
  REQUIRE(info);
  return {side.rows(*info), side.recorded(), side.tells_noise()};
}

Side side_of(const Load& load) { return side_of(raw_of(generate_load(load))); }

std::vector<DiffRow> diff_of(const Side& before, const Side& after, bool totals = false) {
  return reports::diff({{before.rows, before.recorded, before.noise}},
                       {{after.rows, after.recorded, after.noise}}, {totals});
}

const DiffRow& row_of(const std::vector<DiffRow>& rows, DiffBy by, const std::string& name) {
  for (const DiffRow& row : rows) {
    if (row.key.by == by && row.key.name == name) return row;
  }
  FAIL("no row " << name);
  return rows.front();
}

bool any_changed(const std::vector<DiffRow>& rows) {
  return std::ranges::any_of(rows, [](const DiffRow& row) { return row.changed(); });
}

bool lies_within(double value, const DiffMeasure& measure) {
  return std::abs(measure.change() - value) <= measure.off;
}

TEST_CASE("a trace does not differ from itself") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const Side side = side_of(Load{.seed = seed});
    REQUIRE(side.noise);
    const std::vector<DiffRow> rows = diff_of(side, side);
    REQUIRE(rows.size() > 10);
    for (const DiffRow& row : rows) {
      CHECK(row.shift == 0);
      CHECK(row.more == 0);
      CHECK(row.slower == 0);
      CHECK(row.time.change() == 0);
      CHECK(row.count.change() == 0);
      CHECK(row.mean.change() == 0);
      CHECK_FALSE(row.changed());
    }
  }
}

TEST_CASE("what is compared the other way around differs in signs alone, and parts add up") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const bool totals : {false, true}) {
      CAPTURE(seed, totals);
      const Side a = side_of(Load{.seed = seed});
      const Side b = side_of(Load{.seed = seed + 100, .length = 1'500'000'000, .read_us = 24});
      const std::vector<DiffRow> there = diff_of(a, b, totals);
      const std::vector<DiffRow> back = diff_of(b, a, totals);
      REQUIRE(there.size() == back.size());
      bool changed = false;
      for (std::size_t i = 0; i < there.size(); ++i) {
        const DiffRow& row = there[i];
        const DiffRow& other = back[i];
        CAPTURE(row.key.name);
        CHECK(row.key == other.key);
        CHECK(row.more + row.slower == row.shift);
        CHECK(other.more + other.slower == other.shift);
        CHECK(row.shift == -other.shift);
        for (DiffMeasure DiffRow::* measure : {&DiffRow::time, &DiffRow::count, &DiffRow::mean}) {
          CHECK((row.*measure).change() == -(other.*measure).change());
          CHECK((row.*measure).off == (other.*measure).off);
          CHECK((row.*measure).p == (other.*measure).p);
          CHECK((row.*measure).corrected == (other.*measure).corrected);
          CHECK((row.*measure).changed == (other.*measure).changed);
        }
        changed = changed || row.changed();
      }
      CHECK(changed);
    }
  }
}

// What the rows of a dimension add up to.
std::map<DiffBy, DiffSums> sums_of(const reports::DiffRows& rows) {
  std::map<DiffBy, DiffSums> sums;
  for (const auto& [key, row] : rows) sums[key.by].add(row);
  return sums;
}

TEST_CASE("rows of each sort add up to what the other reports say") {
  std::size_t calls = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const RawFile file = raw_of(generate_truth(random_options(seed)).file);
    for (const bool cut : {false, true}) {
      NameTable names;
      std::vector<TimeWindow> windows;
      if (cut) windows = {{100'000, 300'000}, {350'000, 900'000}};
      reports::DiffSide side(names, windows);
      reports::Stat stat(names, {windows});
      reports::Profile profile(names);
      reports::Syscalls syscalls(names, reports::SyscallsBy::kAll, 0, {});
      BothSinks times(side, stat);
      BothSinks counts(profile, syscalls);
      BothSinks all(times, counts);
      filters::Part part(windows, {}, names, all);
      const auto info = spans::rebuild(file, names, part);
      REQUIRE(info);
      if (info->begin >= info->end) continue;
      const reports::DiffRows rows = side.rows(*info);
      std::map<DiffBy, DiffSums> sums = sums_of(rows);

      reports::StatSums programs;
      for (const reports::StatRow& row : stat.rows(reports::StatBy::kProgram, *info)) {
        if (row.id > 0) programs.add(row.sums);  // and not idle
      }
      CHECK(sums[DiffBy::kProgram].total == programs.executing());
      CHECK(sums[DiffBy::kThread].total == programs.executing());
      CHECK(sums[DiffBy::kWait].total == programs.waiting());
      for (const reports::StatKind& kind : stat.kinds()) {
        const auto found = rows.find({DiffBy::kKind, SpanKind::kUser, span_kind_name(kind.kind)});
        CHECK((found == rows.end() ? 0 : found->second.total) == kind.own);
      }
      Ns of_cpus = 0;
      for (const reports::ProfileRow& row : profile.rows(*info)) {
        if (row.of == reports::ProfileOf::kCpus) {
          for (const reports::ProfileCell& cell : row.cells) {
            if (is_execution(cell.kind)) of_cpus += cell.total;
          }
        }
      }
      Ns of_kinds = 0;
      DiffSums system_calls;
      for (const auto& [key, row] : rows) {
        if (key.by == DiffBy::kCall && key.kind == SpanKind::kSyscall) system_calls.add(row);
        if (key.by != DiffBy::kKind || key.name == "wait" || key.name.starts_with("lock")) continue;
        if (key.name != "queued") of_kinds += row.total;
      }
      CHECK(of_kinds == of_cpus);
      reports::SyscallSums known;
      for (const reports::SyscallGroup& group : syscalls.groups()) known.add(group.all);
      CHECK(system_calls.total == known.total);
      CHECK(system_calls.count == known.calls);
      CHECK(system_calls.durations.quantile(0.99) == known.durations.quantile(0.99));
      calls += known.calls;

      // Blocks share out what there is, no more and no less.
      for (const auto& [key, row] : rows) {
        double time = 0;
        double count = 0;
        for (const double part_of : row.blocks.times()) time += part_of;
        for (const double part_of : row.blocks.counts()) count += part_of;
        CHECK(static_cast<Ns>(std::llround(time)) == row.total);
        CHECK(static_cast<std::uint64_t>(std::llround(count)) == row.count);
      }
    }
  }
  CHECK(calls > 1000);
}

// Of so many pairs, one in twenty may show something; with seeds that are fixed, so is the outcome.
TEST_CASE("of forty pairs of equal runs, at most the promised share shows a change") {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Side a = side_of(Load{.seed = 1000 + seed});
    const Side b = side_of(Load{.seed = 2000 + seed, .first_pid = 7000});
    alarms += any_changed(diff_of(a, b)) ? 1 : 0;
  }
  CAPTURE(alarms);
  CHECK(alarms <= 2);
}

TEST_CASE("a call that takes longer is found, with how much longer") {
  for (const double share : {0.03, 0.1, 0.5}) {
    int found = 0;
    int right = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(share, seed);
      const Ns length = share < 0.05 ? 10'000'000'000 : 2'000'000'000;
      Side a = side_of(Load{.seed = seed, .length = length});
      Side b = side_of(Load{
          .seed = seed + 500, .length = length, .read_us = 20 * (1 + share), .first_pid = 900});
      // So little is found where it is looked for, and nowhere else.
      const auto is_other = [](const auto& row) { return row.first.name != "read"; };
      if (share < 0.05) std::erase_if(a.rows, is_other);
      if (share < 0.05) std::erase_if(b.rows, is_other);
      const std::vector<DiffRow> rows = diff_of(a, b);
      const DiffRow& read = row_of(rows, DiffBy::kCall, "read");
      found += read.mean.changed ? 1 : 0;
      right += lies_within(share * 20'000, read.mean) ? 1 : 0;
      if (share < 0.05) continue;
      CHECK_FALSE(row_of(rows, DiffBy::kCall, "write").changed());
      CHECK_FALSE(row_of(rows, DiffBy::kProgram, "backup").changed());
      // Slower calls, not more of them, make up the shift.
      CHECK(read.slower > std::abs(read.more));
    }
    CAPTURE(share, found, right);
    CHECK(found >= 8);
    CHECK(right >= 9);  // 95 % intervals
  }
}

TEST_CASE("more calls are found, with how many more") {
  for (const double share : {0.1, 0.5}) {
    int found = 0;
    int right = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(share, seed);
      const Side a = side_of(Load{.seed = seed});
      const Side b = side_of(Load{.seed = seed + 500, .reads_a_ms = 6 * (1 + share)});
      const std::vector<DiffRow> rows = diff_of(a, b);
      const DiffRow& read = row_of(rows, DiffBy::kCall, "read");
      found += read.count.changed ? 1 : 0;
      right += lies_within(share * 6000, read.count) ? 1 : 0;
      CHECK_FALSE(read.mean.changed);
      CHECK(read.more > std::abs(read.slower));
    }
    CAPTURE(share, found, right);
    CHECK(found == 10);
    CHECK(right >= 9);
  }
}

TEST_CASE("two windows of a trace are compared as two traces are") {
  const RawFile file = raw_of(generate_load({.seed = 3}));
  const Side first = side_of(file, {{0, 900'000'000}});
  const Side last = side_of(file, {{1'000'000'000, 1'500'000'000}, {1'600'000'000, 2'000'000'000}});
  CHECK(first.recorded == 900'000'000);
  CHECK(last.recorded == 900'000'000);
  const std::vector<DiffRow> rows = diff_of(first, last);
  CHECK_FALSE(any_changed(rows));
  CHECK(row_of(rows, DiffBy::kCall, "read").count.before > 5000);
}

}  // namespace
}  // namespace kutrace::test
