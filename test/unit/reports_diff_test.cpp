// SPDX-License-Identifier: BSD-3-Clause
// Comparisons: names that two recordings share, shifts and what they come from, when there is no
// verdict, as where a side does not tell; and as text.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "emit/text/diff_page.h"
#include "emit/text/diff_text.h"
#include "reports/diff.h"

namespace kutrace::test {
namespace {

using reports::DiffBy;
using reports::DiffKey;
using reports::DiffRow;
using reports::DiffRows;
using reports::DiffSums;

constexpr Ns kSecond = 1'000'000'000;

Span span_of(CpuId cpu, Pid pid, Ns start, Ns end, SpanKind kind) {
  Span span;
  span.cpu = cpu;
  span.pid = pid;
  span.thread = pid > 0 ? ThreadId{static_cast<std::uint32_t>(pid)} : ThreadId::kNone;
  span.start = start;
  span.duration = end - start;
  span.kind = kind;
  return span;
}

ThreadLife life_of(Pid pid, Pid process, NameId name) {
  ThreadLife life;
  life.thread = ThreadId{static_cast<std::uint32_t>(pid)};
  life.pid = pid;
  life.process = process;
  life.name = name;
  life.end = kSecond;
  return life;
}

TEST_CASE("programs and threads are compared by name, their stays on a CPU counted") {
  NameTable names;
  TraceInfo info;
  info.end = kSecond;
  reports::DiffSide side(names, {});
  side.begin(info);
  side.push(span_of(0, 10, 0, 100, SpanKind::kUser));
  side.push(span_of(0, 10, 100, 130, SpanKind::kIrq));
  side.push(span_of(0, 10, 130, 200, SpanKind::kSyscall));
  side.push(span_of(0, 0, 200, 300, SpanKind::kIdle));
  side.push(span_of(0, 10, 300, 340, SpanKind::kUser));
  side.push(span_of(0, 11, 340, 400, SpanKind::kUser));
  side.push(span_of(1, 20, 0, 7, SpanKind::kKernelThread));
  side.push(span_of(1, 21, 7, 10, SpanKind::kKernelThread));
  CHECK_FALSE(side.tells_calls());
  side.life(life_of(10, 10, names.intern("server")));
  side.life(life_of(11, 10, names.intern("worker")));
  side.life(life_of(20, 20, names.intern("kworker/u8:3")));
  side.life(life_of(21, 21, names.intern("kworker/u16:12")));
  side.end(info);
  const DiffRows rows = side.rows(info);
  const DiffSums& program = rows.at({DiffBy::kProgram, SpanKind::kUser, "server"});
  CHECK(program.total == 300);
  CHECK(program.count == 3);
  CHECK(program.durations.longest() == 200);
  CHECK(rows.at({DiffBy::kThread, SpanKind::kUser, "server"}).count == 2);
  CHECK(rows.at({DiffBy::kThread, SpanKind::kUser, "worker"}).total == 60);
  // The number of a CPU and that of a worker are no names.
  const DiffSums& workers = rows.at({DiffBy::kThread, SpanKind::kUser, "kworker/u*:*"});
  CHECK(workers.count == 2);
  CHECK(workers.total == 10);
  CHECK(rows.at({DiffBy::kKind, SpanKind::kUser, "idle"}).total == 100);
  CHECK(side.tells_calls());
}

TEST_CASE("what lasts longer than a block is known to be one thing") {
  NameTable names;
  TraceInfo info;
  info.end = kSecond;
  reports::DiffSide side(names, {});
  side.begin(info);
  Call call;
  call.name = names.intern("read");
  call.begin = 0;
  call.end = side.block();
  side.call(call);
  call.end = 2 * side.block();
  side.call(call);
  call.kind = SpanKind::kTrap;
  side.call(call);
  call.kind = SpanKind::kSyscall;
  call.name = names.intern("clone");
  call.begin_inferred = true;  // a new thread's way out
  side.call(call);
  side.end(info);
  const DiffRows rows = side.rows(info);
  const DiffSums& read = rows.at({DiffBy::kCall, SpanKind::kSyscall, "read"});
  const auto block = static_cast<double>(side.block());
  CHECK(read.count == 2);
  CHECK(read.long_squares == 4 * block * block);
  CHECK(rows.at({DiffBy::kCall, SpanKind::kTrap, "read"}).count == 1);
  CHECK(rows.size() == 2);
}

// So many of so many nanoseconds, in blocks one after the other.
DiffSums sums_of(std::uint64_t count, Ns each, std::size_t blocks = reports::TimeBlocks::kCount) {
  DiffSums sums;
  for (std::uint64_t i = 0; i < count; ++i) {
    // A little noise, without which nothing could be chance.
    const Ns time = each + static_cast<Ns>(i * 37 % 5) - 2;
    sums.total += time;
    ++sums.count;
    sums.durations.add(time);
    sums.blocks.add_time(i % blocks, time);
    sums.blocks.add_count(i % blocks);
  }
  return sums;
}

DiffRow one_row(const DiffSums& before, Ns before_recorded, const DiffSums& after,
                Ns after_recorded, bool noise = true, bool totals = false) {
  const DiffKey key{DiffBy::kCall, SpanKind::kSyscall, "read"};
  DiffRows first;
  DiffRows second;
  if (before.count != 0) first[key] = before;
  if (after.count != 0) second[key] = after;
  const auto rows =
      reports::diff({{first, before_recorded, noise}}, {{second, after_recorded, noise}}, {totals});
  REQUIRE(rows.size() == 1);
  return rows.front();
}

TEST_CASE("a shift is more calls at the old mean and slower ones at the new count") {
  // 1000 calls of 100 ns, then 1500 of 120 ns: 500 * 100 + 1500 * 20.
  const DiffRow row = one_row(sums_of(1000, 100), kSecond, sums_of(1500, 120), kSecond);
  CHECK(row.shift == 80'000);
  CHECK(row.more == 50'000);
  CHECK(row.slower == 30'000);
  CHECK(row.time.changed);
  CHECK(row.count.changed);
  CHECK(row.mean.changed);
  CHECK(row.time.growth() == Approx(80));
  CHECK(row.mean.growth() == Approx(20));
}

TEST_CASE("recordings of different length are compared per second, or as sums if asked") {
  const DiffSums once = sums_of(1000, 100);
  const DiffSums twice = sums_of(2000, 100);
  const DiffRow rate = one_row(once, kSecond, twice, 2 * kSecond);
  CHECK(rate.shift == 0);
  CHECK(rate.count.change() == 0);
  CHECK_FALSE(rate.changed());
  const DiffRow total = one_row(once, kSecond, twice, 2 * kSecond, true, true);
  CHECK(total.shift == 100'000);
  CHECK(total.more == 100'000);
  CHECK(total.slower == 0);
  CHECK(total.time.changed);
  CHECK_FALSE(total.mean.changed);
}

TEST_CASE("what was not there before, or is not there any more, is more or less of it") {
  const DiffRow added = one_row({}, kSecond, sums_of(800, 50), kSecond);
  CHECK(added.shift == 40'000);
  CHECK(added.more == 40'000);
  CHECK(added.time.changed);
  CHECK_FALSE(added.mean.tested);
  const DiffRow gone = one_row(sums_of(800, 50), kSecond, {}, kSecond);
  CHECK(gone.shift == -40'000);
  CHECK(gone.more == -40'000);
  CHECK(gone.slower == 0);
  CHECK(gone.time.growth() == -100);
}

TEST_CASE("there is no verdict where there is too little, or blocks tell nothing") {
  CHECK_FALSE(one_row(sums_of(1000, 100), kSecond, sums_of(1000, 200), kSecond, false).changed());
  const DiffRow rare = one_row(sums_of(4, 100, 4), kSecond, sums_of(4, 900, 4), kSecond);
  CHECK_FALSE(rare.time.tested);
  CHECK_FALSE(rare.changed());
  CHECK_FALSE(rare.tested());
}

TEST_CASE("what is the same in all blocks may be one more or less at the end") {
  // 800 calls each, in 80 equal blocks; the second recording is 80 us longer.
  const DiffRow row = one_row(sums_of(800, 100), kSecond, sums_of(800, 100), kSecond + 80'000);
  CHECK(row.count.change() != 0);
  CHECK_FALSE(row.changed());
  CHECK(one_row(sums_of(800, 100), kSecond, sums_of(880, 100), kSecond).count.changed);
}

TEST_CASE("one long call is one chance, in however many blocks it is") {
  DiffSums before;
  DiffSums after = sums_of(100, 10);
  for (std::size_t block = 0; block < reports::TimeBlocks::kCount; ++block) {
    after.blocks.add_time(block, kSecond / 80);
  }
  after.total += kSecond;
  ++after.count;
  before = sums_of(100, 10);
  CHECK(one_row(before, kSecond, after, kSecond).time.changed);
  after.long_squares = 1e18;
  CHECK_FALSE(one_row(before, kSecond, after, kSecond).time.changed);
}

emit::DiffTold told_of() {
  emit::DiffTold told;
  told.before = {"a.raw", 1, kSecond, kSecond / 80, 2};
  told.after = {"b.raw", 1, 2 * kSecond, kSecond / 40, 2};
  told.noise = true;
  return told;
}

// The first row of runs of so many calls, each of 100 ns.
DiffRow of_runs(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after) {
  const DiffKey key{DiffBy::kCall, SpanKind::kSyscall, "read"};
  const auto runs = [&key](const std::vector<std::uint64_t>& counts) {
    reports::DiffRuns side;
    for (const std::uint64_t count : counts) {
      reports::DiffRun& run = side.emplace_back();
      run.recorded = kSecond;
      run.rows[key] = sums_of(count, 100);
    }
    return side;
  };
  return reports::diff(runs(before), runs(after), {}).front();
}

TEST_CASE("what equal runs differ by is no change, what they do not differ by is one") {
  // A run apart from the others, on either side.
  CHECK_FALSE(of_runs({1000, 1200, 1100}, {1250, 1150, 1050}).changed());
  const DiffRow row = of_runs({1000, 1002, 998, 1001}, {1100, 1101, 1099, 1103});
  CHECK(row.count.changed);
  CHECK(row.count.before == Approx(1000.25));
  CHECK(row.count.after == Approx(1100.75));
  CHECK(row.count.change() - row.count.off < 100.5);
  CHECK(row.count.change() + row.count.off > 100.5);
  CHECK_FALSE(row.mean.changed);
  CHECK(row.shift == row.more + row.slower);
  CHECK(row.before.count == 4001);
}

TEST_CASE("one run is set against several by what these differ by") {
  CHECK_FALSE(of_runs({1000, 1100, 900, 1050}, {1080}).changed());
  CHECK(of_runs({1000, 1001, 999, 1000, 1002}, {1200}).count.changed);
}

reports::DiffLacks without(EventGroup group) {
  reports::DiffLacks lacks;
  lacks.groups.set(group, true);
  return lacks;
}

std::vector<DiffRow> rows_of(const DiffRows& before, const DiffRows& after,
                             const reports::DiffLacks& of_before,
                             const reports::DiffLacks& of_after) {
  return reports::diff({{before, kSecond, true, of_before}}, {{after, kSecond, true, of_after}},
                       {});
}

TEST_CASE("what a side does not tell of is not none of it, and has no verdict") {
  const DiffKey read{DiffBy::kCall, SpanKind::kSyscall, "read"};
  const DiffKey fault{DiffBy::kCall, SpanKind::kTrap, "page_fault"};
  const DiffKey program{DiffBy::kProgram, SpanKind::kUser, "server"};
  const DiffKey user{DiffBy::kKind, SpanKind::kUser, "user"};
  const DiffKey loss{DiffBy::kKind, SpanKind::kUser, "loss"};
  const DiffKey ready{DiffBy::kWait, SpanKind::kUser, "c"};
  const DiffKey disk{DiffBy::kWait, SpanKind::kUser, "d"};
  DiffRows before;
  for (const DiffKey& key : {read, fault, program, user, loss, ready, disk})
    before[key] = sums_of(1000, 100);
  DiffRows after = before;
  after.erase(read);
  const auto lacking = [&](const reports::DiffLacks& of_before,
                           const reports::DiffLacks& of_after) {
    std::set<DiffKey> keys;
    for (const DiffRow& row : rows_of(before, after, of_before, of_after)) {
      if (!row.lacks()) continue;
      keys.insert(row.key);
      CHECK_FALSE(row.tested());
      CHECK(row.shift == 0);
    }
    return keys;
  };
  const reports::DiffLacks syscalls = without(EventGroup::kSyscalls);
  // Where calls are not recorded, their time is user code's, and waits in them have no reason.
  CHECK(lacking({}, syscalls) == std::set<DiffKey>{read, user, disk});
  CHECK(lacking(syscalls, {}) == std::set<DiffKey>{read, user, disk});
  CHECK(lacking(syscalls, syscalls).empty());
  CHECK(lacking({}, without(EventGroup::kWakeups)) == std::set<DiffKey>{ready, disk});
  CHECK(lacking({}, without(EventGroup::kSamples)).empty());
  CHECK(lacking({}, {{}, true}) == std::set<DiffKey>{read, fault, program, user, ready, disk});

  const auto rows = rows_of(before, after, {}, syscalls);
  CHECK(rows.back().lacks());
  const auto row = std::ranges::find(rows, read, &DiffRow::key);
  CHECK(row->before_lacks.empty());
  CHECK(row->after_lacks == std::vector<std::string>{"syscalls"});
  std::string table;
  std::string csv;
  std::string page;
  const auto to = [](std::string& text) {
    return [&text](std::string_view line) { text.append(line).append("\n"); };
  };
  emit::diff_table(rows, told_of(), to(table));
  emit::diff_csv(rows, told_of(), to(csv));
  emit::diff_page(rows, told_of(), {}, to(page));
  CHECK_THAT(table, Catch::Contains("B (b.raw) does not tell of syscalls: rows with ? have"));
  CHECK_THAT(table, Catch::Contains("?            -") && !Catch::Contains("gone"));
  CHECK_THAT(table, Catch::Contains("total without ?"));
  CHECK_THAT(csv, Catch::Contains("call,read,syscall,second,untold,0,0,0,") &&
                      Catch::Contains(",untold,,syscalls\n"));
  CHECK_THAT(page, Catch::Contains("does not tell of syscalls") && !Catch::Contains("gone"));
  CHECK_THAT(emit::diff_json(rows, told_of()), Catch::Contains(R"("after_lacks":["syscalls"])"));
}

TEST_CASE("a run of a side that lacks something is enough, and several that all lack it are not") {
  const DiffKey read{DiffBy::kCall, SpanKind::kSyscall, "read"};
  const auto runs = [&](const std::vector<reports::DiffLacks>& lacks) {
    reports::DiffRuns side;
    for (const reports::DiffLacks& one : lacks)
      side.push_back({{{read, sums_of(1000, 100)}}, kSecond, true, one});
    return side;
  };
  const reports::DiffLacks none = without(EventGroup::kSyscalls);
  CHECK(reports::diff(runs({{}, none}), runs({{}, {}}), {}).front().lacks());
  CHECK_FALSE(reports::diff(runs({none, none}), runs({none, none}), {}).front().lacks());
}

TEST_CASE("groups that were not recorded in a window are lacking") {
  Facts facts;
  CHECK(reports::groups_lacking(facts, {{0, 100}}).empty());
  facts.add(fact::kEvents, {"irqs", "softirqs", "faults", "sched", "power"});
  facts.add(fact::kGroupsChange, std::string("50 +wakeups -faults"));
  using Names = std::vector<std::string>;
  CHECK(reports::groups_lacking(facts, {{0, 50}}).names() == Names{"syscalls", "wakeups"});
  CHECK(reports::groups_lacking(facts, {{60, 100}}).names() == Names{"syscalls", "faults"});
  CHECK(reports::groups_lacking(facts, {{0, 20}, {60, 80}}).names() ==
        Names{"syscalls", "faults", "wakeups"});
}

TEST_CASE("where all that CPUs did is lost, nothing is known of their time") {
  NameTable names;
  TraceInfo info;
  info.end = kSecond;
  reports::DiffSide side(names, {});
  side.begin(info);
  CHECK_FALSE(side.lost_cpu_time());
  side.push(span_of(0, kNoPid, 0, kSecond, SpanKind::kLoss));
  CHECK(side.lost_cpu_time());
  side.push(span_of(1, 10, 0, 5, SpanKind::kUser));
  CHECK_FALSE(side.lost_cpu_time());
}

TEST_CASE(
    "a table of few runs says how large a change must be to count, and of how many it need not") {
  reports::DiffRuns runs(2);
  const DiffKey read{DiffBy::kCall, SpanKind::kSyscall, "read"};
  for (reports::DiffRun& run : runs) {
    run.recorded = kSecond;
    run.rows[read] = sums_of(1000, 100);
  }
  const auto rows = reports::diff(runs, runs, {});
  const auto table = [&](std::size_t count) {
    emit::DiffTold told = told_of();
    told.before.runs = told.after.runs = count;
    std::string text;
    emit::diff_table(rows, told, [&](std::string_view line) { text.append(line).append("\n"); });
    return text;
  };
  // Of three tests, Student's t that chance exceeds once in 60 times: 7.6 with 2 degrees of freedom
  // for two runs a side, 3.0 with 8 for five.
  CHECK_THAT(table(2), Catch::Contains("counts from 8 times what equal runs differ by"));
  CHECK_THAT(table(2), Catch::Contains("with 5 a side, from 2 times"));
  CHECK_THAT(table(5), !Catch::Contains("Few runs"));
}

TEST_CASE("comparisons as tables, CSV and JSON") {
  DiffRows before;
  DiffRows after;
  const DiffKey read{DiffBy::kCall, SpanKind::kSyscall, "read"};
  const DiffKey fault{DiffBy::kCall, SpanKind::kTrap, "page, fault"};
  before[read] = sums_of(1000, 100);
  after[read] = sums_of(4000, 100);
  before[fault] = sums_of(3, 100);
  before[{DiffBy::kWait, SpanKind::kUser, "c"}] = sums_of(3, 100);
  const auto rows = reports::diff({{before, kSecond, true}}, {{after, 2 * kSecond, true}}, {});
  std::string table;
  std::string csv;
  emit::DiffTold told = told_of();
  told.top = 1;
  emit::diff_table(rows, told, [&](std::string_view line) { table.append(line).append("\n"); });
  emit::diff_csv(rows, told, [&](std::string_view line) { csv.append(line).append("\n"); });
  CHECK_THAT(table, Catch::Contains("A: a.raw, 1.000000 s on 2 CPUs"));
  CHECK_THAT(table, Catch::Contains("per second; ~ is within noise of these two"));
  CHECK_THAT(table, Catch::Contains("  read\n"));
  CHECK_THAT(table, Catch::Contains("1 more\n"));
  CHECK_THAT(table, Catch::Contains("  ready\n"));
  CHECK_THAT(csv, Catch::Contains("call,read,syscall,second,differs,100000,100000,0,100000,400000,"
                                  "1000,4000,"));
  CHECK_THAT(csv, Catch::Contains("call,\"page, fault\",fault,second,untold,"));
  const std::string json = emit::diff_json(rows, told);
  CHECK_THAT(json, Catch::Contains(R"("per":"second")"));
  CHECK_THAT(json, Catch::Contains(R"("name":"read","kind":"syscall","verdict":"differs")"));
  told.after.runs = 3;
  CHECK_THAT(emit::diff_json(rows, told),
             Catch::Contains(R"("name":"read","kind":"syscall","verdict":"changed")"));
  told.after.runs = 1;
  told.noise = false;
  table.clear();
  emit::diff_table(rows, told, [&](std::string_view line) { table.append(line).append("\n"); });
  CHECK_THAT(table, Catch::Contains("no verdict is possible"));
}

}  // namespace
}  // namespace kutrace::test
