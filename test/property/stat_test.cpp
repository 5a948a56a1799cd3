// SPDX-License-Identifier: BSD-3-Clause
// Sums of time over generated traces: every way to group them adds up to the CPUs' time, threads'
// to their lives, and all agree with what `check` proves, to the nanosecond.
#include "reports/stat.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <string>
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

// All that is counted and added up.
std::vector<std::int64_t> numbers_of(const StatSums& sums) {
  std::vector<std::int64_t> numbers = {sums.user, sums.kernel,  sums.interrupts, sums.idle,
                                       sums.life, sums.unknown, sums.hidden,     sums.lost};
  numbers.insert(numbers.end(), sums.waits.begin(), sums.waits.end());
  for (const std::uint64_t count :
       {sums.ready.count(), sums.switches, sums.voluntary, sums.involuntary, sums.woken,
        sums.migrations, sums.syscalls, sums.faults, sums.irqs, sums.softirqs})
    numbers.push_back(static_cast<std::int64_t>(count));
  return numbers;
}

using Numbers = std::map<std::string, std::vector<std::int64_t>>;

void add_rows(Numbers& all, const Stat& stat, const TraceInfo& info) {
  const auto add = [&all](const std::string& name, const std::vector<std::int64_t>& numbers) {
    std::vector<std::int64_t>& sum = all[name];
    sum.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) sum[i] += numbers[i];
  };
  for (const StatBy by : {StatBy::kCpu, StatBy::kThread, StatBy::kProcess, StatBy::kProgram})
    for (const StatRow& row : stat.rows(by, info))
      add(std::to_string(static_cast<int>(by)) + row.name, numbers_of(row.sums));
  for (const reports::StatKind& kind : stat.kinds())
    add(span_kind_name(kind.kind), {kind.own, static_cast<std::int64_t>(kind.calls), kind.blocked,
                                    static_cast<std::int64_t>(kind.durations.count())});
}

// Cut at random, at the begin of a span and just behind it: each second piece, and the others.
std::vector<std::vector<TimeWindow>> two_halves(const TraceInfo& info, std::mt19937_64& random,
                                                const std::vector<Ns>& begins) {
  std::vector<Ns> cuts = {info.begin, info.end};
  const std::uint64_t length = static_cast<std::uint64_t>(info.end - info.begin);
  for (int i = 0; i < 4; ++i) {
    cuts.push_back(info.begin + static_cast<Ns>(random() % length));
    cuts.push_back(begins[random() % begins.size()]);
    cuts.push_back(begins[random() % begins.size()] + 1);
  }
  std::ranges::sort(cuts);
  std::vector<std::vector<TimeWindow>> halves(2);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    halves[i % 2].push_back({cuts[i], i + 2 == cuts.size() ? kForever : cuts[i + 1]});
  for (std::vector<TimeWindow>& windows : halves)
    windows = tidy_windows(std::move(windows), info.begin, kForever);
  return halves;
}

class Begins : public SpanSink {
 public:
  void push(const Span& span) override {
    if (is_execution(span.kind)) times.push_back(span.start);
  }
  std::vector<Ns> times;
};

TEST_CASE("the windows of a trace add up to the whole in every number, however it is cut") {
  std::uint64_t moved = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const RawFile file = made(seed);
    NameTable names;
    Stat whole(names, {});
    Begins begins;
    BothSinks both(begins, whole);
    const auto info = spans::rebuild(file, names, both);
    REQUIRE(info);
    Numbers all;
    add_rows(all, whole, *info);
    moved += sum_of(whole.rows(StatBy::kThread, *info)).migrations;
    std::mt19937_64 random(seed);
    Numbers sum;
    for (const std::vector<TimeWindow>& windows : two_halves(*info, random, begins.times)) {
      if (windows.empty()) continue;
      Stat part(names, {.windows = windows});
      filters::Part cut(windows, {}, names, part, filters::Part::Use::kUncut);
      const auto known = spans::rebuild(file, names, cut);
      REQUIRE(known);
      const StatSums cpus = sum_of(part.rows(StatBy::kCpu, *known));
      const Ns time = length_of(tidy_windows(windows, info->begin, info->end));
      CHECK(cpus.all_time() == time * static_cast<Ns>(info->cpus.size()));
      const StatSums threads = sum_of(part.rows(StatBy::kThread, *known));
      CHECK(threads.all_time() == cpus.all_time());
      for (const StatRow& row : part.rows(StatBy::kThread, *known)) CHECK(row.sums.unknown >= 0);
      add_rows(sum, part, *known);
    }
    for (const auto& [name, numbers] : all) {
      CAPTURE(name);
      CHECK(sum[name] == numbers);
    }
    CHECK(sum.size() == all.size());
  }
  CHECK(moved > 0);
}

}  // namespace
}  // namespace kutrace::test
