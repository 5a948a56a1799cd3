// SPDX-License-Identifier: BSD-3-Clause
// Sums of time over generated traces: every way to group them adds up to the CPUs' time, threads'
// to their lives, and all agree with what `check` proves, to the nanosecond.
#include "reports/stat.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <vector>

#include "filters/part.h"
#include "model/processes.h"
#include "reports/law_check.h"
#include "reports/syscalls.h"
#include "spans/rebuild.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

using reports::Stat;
using reports::StatBy;
using reports::StatRow;
using reports::StatSums;

StatSums sum_of(const std::vector<StatRow>& rows) {
  StatSums all;
  for (const StatRow& row : rows) all.add(row.sums);
  return all;
}

class Lives : public SpanSink {
 public:
  void push(const Span&) override {}
  void life(const ThreadLife& life) override {
    all.executing += life.executing;
    all.waiting += life.waiting;
    all.begin += life.begin;
    all.end += life.end;
  }
  ThreadLife all;  // the sum
};

RawFile made(std::uint64_t seed) {
  const Truth truth = generate_truth(random_options(seed));
  auto file = RawFile::open(MappedFile::from_bytes(truth.file, "made"));
  REQUIRE(file);
  return std::move(*file);
}

class LivesByProcess : public SpanSink {
 public:
  void push(const Span&) override {}
  void life(const ThreadLife& life) override {
    lives_.push_back(life);
    processes_.add(life);
  }
  void end(TraceInfo& /*info*/) override {
    processes_.finish();
    std::map<ProcessId, Ns> sums;
    for (const ThreadLife& life : lives_) {
      const ProcessId process = processes_.of(life.thread);
      sums[process] += life.executing;
      numbers.insert(processes_.at(process).number);
    }
    for (const auto& [process, sum] : sums) executing.push_back(sum);
    std::ranges::sort(executing);
  }
  std::vector<Ns> executing;  // of each process
  std::set<Pid> numbers;

 private:
  std::vector<ThreadLife> lives_;
  Processes processes_;
};

TEST_CASE(
    "a row of a process has all its threads, whatever numbers they had and who has them now") {
  std::size_t reused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const RawFile file = made(seed);
    NameTable names;
    Stat stat(names, {.windows = {}});
    LivesByProcess lives;
    BothSinks both(stat, lives);
    const auto info = spans::rebuild(file, names, both);
    REQUIRE(info);
    std::vector<Ns> executing;
    for (const StatRow& row : stat.rows(StatBy::kProcess, *info)) {
      if (row.id > 0) executing.push_back(row.sums.executing());
    }
    std::ranges::sort(executing);
    std::erase(executing, 0);
    std::erase(lives.executing, 0);
    CHECK(executing == lives.executing);
    reused += executing.size() > lives.numbers.size() ? 1u : 0u;
  }
  CHECK(reused > 0);
}

TEST_CASE("however rows are grouped, they add up to the CPUs' time and agree with the laws") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const RawFile file = made(seed);
    NameTable names;
    Stat stat(names, {.windows = {}, .every = static_cast<Ns>(50'000 + 7 * seed)});
    reports::LawCheck law;
    Lives lives;
    reports::Syscalls calls(names, reports::SyscallsBy::kAll, 0, {});
    BothSinks laws(law, lives);
    BothSinks sums(stat, calls);
    BothSinks all(laws, sums);
    const auto info = spans::rebuild(file, names, all);
    REQUIRE(info);
    const reports::LawReport report = law.report();
    const Ns time = report.recorded() * static_cast<Ns>(report.cpus.size());
    const StatSums cpus = sum_of(stat.rows(StatBy::kCpu, *info));
    for (const StatRow& row : stat.rows(StatBy::kCpu, *info)) {
      const reports::CpuTotals& known = report.cpus.at(static_cast<CpuId>(row.id));
      CHECK(row.sums.all_time() == report.recorded());
      CHECK(row.sums.lost == known.loss());
      CHECK(row.sums.user == known.of(SpanKind::kUser) + known.of(SpanKind::kKernelThread));
    }
    for (const StatBy by :
         {StatBy::kCpu, StatBy::kThread, StatBy::kProcess, StatBy::kProgram, StatBy::kInterval}) {
      CAPTURE(static_cast<int>(by));
      const StatSums rows = sum_of(stat.rows(by, *info));
      CHECK(rows.all_time() == time);
      CHECK(rows.executing() == cpus.executing());
      CHECK(rows.idle == cpus.idle);
      CHECK(rows.syscalls >= cpus.syscalls);  // those that ended on no CPU count for none
      if (by == StatBy::kCpu || by == StatBy::kInterval) continue;
      CHECK(rows.waiting() == lives.all.waiting);
      CHECK(rows.unknown == report.threads.unknown);
      CHECK(rows.life == report.threads.total);
    }
    const StatSums intervals = sum_of(stat.rows(StatBy::kInterval, *info));
    const StatSums threads = sum_of(stat.rows(StatBy::kThread, *info));
    CHECK(intervals.waiting() == threads.waiting());
    CHECK(intervals.switches == cpus.switches);
    CHECK(intervals.migrations == threads.migrations);
    CHECK(intervals.woken == threads.woken);
    CHECK(intervals.voluntary == threads.voluntary);
    CHECK(intervals.involuntary == threads.involuntary);
    const std::uint64_t syscalls = calls.groups().empty() ? 0 : calls.groups().front().all.calls;
    CHECK(intervals.syscalls == syscalls);
    CHECK(threads.syscalls == syscalls);
    CHECK(threads.voluntary + threads.involuntary <= threads.switches);
    Ns own = 0;
    for (const reports::StatKind& kind : stat.kinds()) own += kind.own;
    CHECK(own == time);
  }
}

// Threads with an even number; one may run under several.
class EvenThreads : public SpanSink {
 public:
  void push(const Span&) override {}
  void life(const ThreadLife& life) override {
    if (life.pid % 2 != 0) return;
    chosen.pids.insert(life.pid);
    chosen.threads.insert(life.thread);
  }
  filters::ChosenThreads chosen;
};

TEST_CASE("chosen threads are switched as often by CPU as by thread") {
  std::uint64_t switches = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const RawFile file = made(seed);
    NameTable names;
    EvenThreads even;
    REQUIRE(spans::rebuild(file, names, even));
    if (even.chosen.count() == 0) continue;
    filters::Selection selection;
    selection.threads = even.chosen;
    Stat part(names, {});
    filters::Part select({}, selection, names, part);
    const auto known = spans::rebuild(file, names, select);
    REQUIRE(known);
    const StatSums cpus = sum_of(part.rows(StatBy::kCpu, *known));
    CHECK(cpus.switches == sum_of(part.rows(StatBy::kThread, *known)).switches);
    switches += cpus.switches;
  }
  CHECK(switches > 0);
}

TEST_CASE("the windows of a trace add up to the whole, however it is cut") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const RawFile file = made(seed);
    NameTable names;
    Stat whole(names, {});
    const auto info = spans::rebuild(file, names, whole);
    REQUIRE(info);
    const Ns length = info->end - info->begin;
    const auto at = [&](Ns share) { return info->begin + length * share / 10; };
    StatSums sum;
    for (const std::vector<TimeWindow>& windows :
         {std::vector<TimeWindow>{{info->begin, at(2)}, {at(5), at(7)}},
          std::vector<TimeWindow>{{at(2), at(5)}, {at(7), info->end}}}) {
      Stat part(names, {.windows = windows});
      filters::Part cut(windows, {}, names, part);
      const auto known = spans::rebuild(file, names, cut);
      REQUIRE(known);
      const StatSums cpus = sum_of(part.rows(StatBy::kCpu, *known));
      Ns time = 0;
      for (const TimeWindow& window : windows) time += window.end - window.begin;
      CHECK(cpus.all_time() == time * static_cast<Ns>(info->cpus.size()));
      const StatSums threads = sum_of(part.rows(StatBy::kThread, *known));
      CHECK(threads.all_time() == cpus.all_time());
      for (const StatRow& row : part.rows(StatBy::kThread, *known)) CHECK(row.sums.unknown >= 0);
      sum.add(threads);
    }
    const StatSums all = sum_of(whole.rows(StatBy::kThread, *info));
    CHECK(sum.all_time() == all.all_time());
    CHECK(sum.executing() == all.executing());
    CHECK(sum.waiting() == all.waiting());
    CHECK(sum.life == all.life);
    CHECK(sum.unknown == all.unknown);
    CHECK(sum.syscalls == all.syscalls);
    CHECK(sum.faults == all.faults);
    CHECK(sum.woken == all.woken);
  }
}

}  // namespace
}  // namespace kutrace::test
