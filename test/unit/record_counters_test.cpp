// SPDX-License-Identifier: BSD-3-Clause
// Counters out of the texts of /proc; and what is noted of them while they change.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "record/proc/group_quotas.h"
#include "record/proc/machine_counters.h"
#include "record/proc/process_counters.h"
#include "record/run/counter_log.h"

namespace kutrace::test {
namespace {

using record::Measured;

std::vector<std::string> told(const std::vector<Measured>& values) {
  std::vector<std::string> texts;
  for (const Measured& one : values)
    texts.push_back(one.name + (one.is_total ? "+" : "=") + std::to_string(one.value) + " " +
                    std::string(one.unit));
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("counters of the machine are the lines of /proc that are asked for") {
  std::vector<Measured> values;
  record::read_meminfo(
      "MemTotal:       100 kB\nMemFree:   7 kB\nHugePages_Total:  3\nSwapFree: x\n", values);
  CHECK(told(values) == Texts{"mem_total=102400 bytes", "mem_free=7168 bytes"});
  values.clear();
  record::read_vmstat("nr_free_pages 5\npgpgin 2\npswpout 3\npgfault 11\npgmajfault", 4096, values);
  CHECK(told(values) == Texts{"page_in+2048 bytes", "swap_out+12288 bytes", "faults+11 events"});
  values.clear();
  record::read_stat(
      "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 99 9 10\nctxt 12\nprocs_running 3\n", 100,
      values);
  CHECK(told(values) == Texts{"switches+12 events", "runnable=3 tasks", "steal+80000000 ns"});
  values.clear();
  record::read_stat("cpu 1 2 3", 100, values);
  CHECK(values.empty());
  record::read_pressure(
      "some avg10=0.00 avg60=1.00 avg300=0.05 total=1234\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=5",
      "io", values);
  CHECK(told(values) == Texts{"io_some+1234000 ns", "io_full+5000 ns"});
  values.clear();
  record::read_pressure("", "cpu", values);
  CHECK(values.empty());
}

TEST_CASE("a process may be called as it likes") {
  const std::string rest =
      " S 1 2 3 4 5 6 70 8 90 10 11 12 13 14 20 0 1 0 123456 4096 42 18446744073709551615\n";
  for (const char* name : {"a", "a b", ") 1 2 (", "(a)"}) {
    INFO(name);
    const auto stat = record::parse_process_stat("12 (" + std::string(name) + ")" + rest);
    REQUIRE(stat);
    CHECK(stat->faults == 70);
    CHECK(stat->major_faults == 90);
    CHECK(stat->started == 123456);
    CHECK(stat->resident == 42);
  }
  CHECK(!record::parse_process_stat(""));
  CHECK(!record::parse_process_stat("12 (a) S 1 2 3"));
  // Threads of the kernel have no memory of their own.
  CHECK(!record::parse_process_stat(
      "2 (kthreadd) S 0 0 0 0 -1 6 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 18446744073709551615"));
}

TEST_CASE("cpu.stat of both versions tells how long a group was throttled") {
  const auto second = record::parse_cpu_stat(
      "usage_usec 400000\nuser_usec 1\nnr_periods 22\nnr_throttled 17\nthrottled_usec 1033\n"
      "nr_bursts 0\n");
  CHECK(second == record::QuotaUse{22, 17, 1'033'000});
  const auto first =
      record::parse_cpu_stat("nr_periods 22\nnr_throttled 17\nthrottled_time 1033700\n");
  CHECK(first == record::QuotaUse{22, 17, 1'033'700});
  CHECK(record::parse_cpu_stat("nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"));
  CHECK(!record::parse_cpu_stat("usage_usec 400000\nuser_usec 1\n"));
  CHECK(!record::parse_cpu_stat(""));
}

TEST_CASE("hierarchies are where the controller of CPUs may be") {
  const std::vector<std::string> mounts = record::cpu_mounts(
      "25 22 0:21 / /sys/fs/cgroup rw,nosuid - tmpfs tmpfs rw,mode=755\n"
      "30 25 0:26 / /sys/fs/cgroup/unified rw shared:5 - cgroup2 cgroup2 rw\n"
      "31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:6 - cgroup cgroup rw,cpu,cpuacct\n"
      "32 25 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "33 25 0:27 /docker/1 /mnt rw - cgroup cgroup rw,cpu\n");
  CHECK(mounts == std::vector<std::string>{"/sys/fs/cgroup/unified", "/sys/fs/cgroup/cpu,cpuacct"});
}

Measured value(const char* name, std::int64_t value, Pid process = kNoPid,
               std::uint64_t started = 0) {
  return {name, record::kBytes, false, value, process, started};
}

constexpr Ns kSecond = 1'000'000'000;

TEST_CASE("what did not change is not noted again, and what is gone is said to be") {
  record::CounterLog log(std::nullopt, kSecond);
  log.take(10, {value("free", 1), value("rss", 5, 12, 100)});
  log.take(20, {value("free", 1), value("rss", 6, 12, 100)});
  log.take(30, {value("free", 1), value("rss", 6, 12, 100)});
  log.take(40, {value("free", 1)});
  log.take(50, {value("free", 1)});
  // The same number, another process; and the first one again.
  log.take(60, {value("free", 2), value("rss", 6, 12, 200)});
  log.take(70, {value("rss", 6, 12, 100)});
  const CounterRecords records = log.take_records();
  REQUIRE(records.series.size() == 3);
  CHECK(records.series[1].process == 12);
  CHECK(records.series[2].process == 12);
  const std::vector<CounterReading> expected = {
      {10, {{0, 1}, {1, 5}}},
      {20, {{1, 6}}},
      {40, {{1, std::nullopt}}},
      {60, {{0, 2}, {2, 6}}},
      {70, {{1, 6}, {0, std::nullopt}, {2, std::nullopt}}}};
  CHECK(records.readings == expected);
  CHECK(log.take_records().readings.empty());
}

TEST_CASE("a flight recorder keeps the last readings, which begin with what held") {
  constexpr std::size_t kKept = 100;
  record::CounterLog log(std::nullopt, kSecond);
  for (int i = 0; i < 10'000; ++i) {
    // A process that lives for a moment, and what never changes.
    log.take(static_cast<Ticks>(i), {value("free", i), value("total", 7),
                                     value("rss", i, 100 + i, static_cast<std::uint64_t>(i))});
    log.keep(kKept);
  }
  const CounterRecords records = log.take_records();
  CHECK(records.readings.size() >= kKept);
  CHECK(records.readings.size() <= 2 * kKept + 1);
  CHECK(records.series.size() <= 2 * kKept + 4);
  const CounterReading& first = records.readings.front();
  const auto has = [&](std::uint32_t number, std::int64_t value) {
    return std::ranges::find(first.values, CounterValue{number, value}) != first.values.end();
  };
  CHECK(has(1, 7));
  CHECK(has(0, first.at));
}

TEST_CASE("this process's own memory is read as /proc has it") {
  record::ProcessCounters counters({{getpid()}, std::nullopt});
  counters.choose();
  std::vector<Measured> values;
  counters.read(values);
  REQUIRE(values.size() == 3);
  CHECK(values[0].name == "rss");
  CHECK(values[0].process == getpid());
  CHECK(values[0].value > 0);
  CHECK(values[1].value > 0);
  // Of a user who has none, and of nobody in particular: a bounded number.
  record::ProcessCounters none({{}, 4'000'000'000});
  none.choose();
  values.clear();
  none.read(values);
  CHECK(values.empty());
  record::ProcessCounters any({{}, std::nullopt});
  any.choose();
  any.follow(getpid());
  any.choose();
  any.read(values);
  CHECK(values.size() >= 3);
  CHECK(values.size() <= 3 * (record::ProcessCounters::kMost + 1));
}

}  // namespace
}  // namespace kutrace::test
