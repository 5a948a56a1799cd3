// SPDX-License-Identifier: BSD-3-Clause
// System calls summed up: calls, errors, waits, percentiles, groups; and as lines.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "emit/text/syscalls_text.h"
#include "format/errno_name.h"
#include "reports/syscalls.h"

namespace kutrace::test {
namespace {

using reports::SyscallGroup;
using reports::SyscallRow;
using reports::Syscalls;
using reports::SyscallsBy;

struct Made {
  NameTable names;
  TraceInfo info;

  // The lives of the threads, then the end.
  void end(Syscalls& sums) {
    const auto thread = [&](ThreadId id, Pid pid, const char* name, Pid process) {
      sums.life({.thread = id, .pid = pid, .process = process, .name = names.intern(name)});
    };
    thread(ThreadId{10}, 10, "server", 10);
    thread(ThreadId{11}, 11, "worker", 10);
    thread(ThreadId{20}, 20, "server", 20);
    sums.end(info);
  }
  Call call(Pid pid, const char* name, Ns begin, Ns duration, CallResult result = {}) {
    Call made;
    made.pid = pid;
    made.thread = ThreadId{static_cast<std::uint32_t>(pid)};
    made.name = names.intern(name);
    made.begin = begin;
    made.end = begin + duration;
    made.on_cpu = duration;
    made.result = result;
    made.has_result = true;
    return made;
  }
};

const SyscallRow& row(const SyscallGroup& group, const std::string& name) {
  const auto found = std::ranges::find(group.rows, name, &SyscallRow::call);
  REQUIRE(found != group.rows.end());
  return *found;
}

std::vector<std::string> names_of(const std::vector<SyscallGroup>& groups) {
  std::vector<std::string> names;
  for (const SyscallGroup& group : groups) names.push_back(group.name);
  return names;
}

std::vector<SyscallGroup> grouped_by(SyscallsBy by) {
  Made made;
  Syscalls sums(made.names, by, 0, {});
  sums.call(made.call(10, "read", 0, 100));
  sums.call(made.call(11, "read", 0, 1000));
  sums.call(made.call(20, "write", 0, 300));
  sums.call(made.call(99, "write", 0, 20));
  made.end(sums);
  return sums.groups();
}

}  // namespace

TEST_CASE("calls, errors by name, waits by reason and what is unknown add up") {
  Made made;
  Syscalls sums(made.names, SyscallsBy::kAll, 0, {});
  const std::vector<WaitTime> waits = {{'d', 300}, {'c', 100}};
  Call blocked = made.call(10, "read", 0, 1000, {5, false});
  blocked.on_cpu = 550;
  blocked.blocked = 400;
  blocked.waits = waits;
  sums.call(blocked);
  sums.call(made.call(10, "read", 2000, 10, {-2, false}));
  sums.call(made.call(11, "read", 2000, 10, {-512, false}));
  Call fault = made.call(10, "page_fault", 0, 77);
  fault.kind = SpanKind::kTrap;
  sums.call(fault);
  made.end(sums);
  REQUIRE(sums.groups().size() == 1);
  const reports::SyscallSums& read = row(sums.groups().front(), "read").sums;
  CHECK(sums.groups().front().rows.size() == 1);
  CHECK(read.calls == 3);
  CHECK(read.errors == std::map<std::string, std::uint64_t>{{"ENOENT", 1}, {"ERESTARTSYS", 1}});
  CHECK(read.failed() == 2);
  CHECK(read.total == 1020);
  CHECK(read.on_cpu == 570);
  CHECK(read.unknown == 50);
  CHECK(read.waits['d' - 'a'] == 300);
  CHECK(read.waits['c' - 'a'] == 100);
  CHECK(read.durations.longest() == 1000);
  CHECK(read.total == read.on_cpu + read.unknown + 400);
}

TEST_CASE("groups are threads, processes or programs, those with the most time first") {
  CHECK(names_of(grouped_by(SyscallsBy::kAll)) == std::vector<std::string>{""});
  CHECK(names_of(grouped_by(SyscallsBy::kThread)) ==
        std::vector<std::string>{"worker.11", "server.20", "server.10", "99"});
  const auto processes = grouped_by(SyscallsBy::kProcess);
  CHECK(names_of(processes) == std::vector<std::string>{"server.10", "server.20", "99"});
  CHECK(processes.front().all.calls == 2);
  const auto programs = grouped_by(SyscallsBy::kProgram);
  CHECK(names_of(programs) == std::vector<std::string>{"server", "?"});
  CHECK(programs.front().all.total == 1400);
  CHECK(row(programs.front(), "read").sums.calls == 2);
}

TEST_CASE("threads and processes that had one number in turn are apart") {
  for (const SyscallsBy by : {SyscallsBy::kThread, SyscallsBy::kProcess}) {
    Made made;
    Syscalls sums(made.names, by, 0, {});
    for (const std::uint32_t id : {1u, 2u}) {
      Call call = made.call(10, "read", 100 * id, 10 * id);
      call.thread = ThreadId{id};
      sums.call(call);
      const Ns begin = 100 * static_cast<Ns>(id);
      sums.life({.thread = ThreadId{id},
                 .pid = 10,
                 .process = 10,
                 .name = made.names.intern(id == 1 ? "first" : "second"),
                 .begin = begin,
                 .end = begin + 50});
    }
    sums.end(made.info);
    CHECK(names_of(sums.groups()) == std::vector<std::string>{"second.10", "first.10"});
  }
}

TEST_CASE("the slowest calls are kept, longest first, of equals the earlier") {
  Made made;
  Syscalls sums(made.names, SyscallsBy::kAll, 3, {});
  for (const Ns duration : {50, 700, 20, 700, 600, 10, 55}) {
    static Ns begin = 0;
    sums.call(made.call(10, "read", begin += 1000, duration, {duration, true}));
  }
  made.end(sums);
  std::vector<std::pair<Ns, Ns>> found;
  for (const reports::SlowCall& slow : sums.slowest()) {
    found.emplace_back(slow.call.duration(), slow.call.begin);
    CHECK(slow.thread == "server.10");
  }
  CHECK(found == std::vector<std::pair<Ns, Ns>>{{700, 2000}, {700, 4000}, {600, 5000}});
}

TEST_CASE("a new thread's way out of the call that made it is no call") {
  Made made;
  Syscalls sums(made.names, SyscallsBy::kAll, 0, {});
  Call child = made.call(11, "clone", 0, 10);
  child.begin_inferred = true;
  sums.call(child);
  sums.call(made.call(10, "clone", 0, 10));
  Call under_way = made.call(20, "read", 0, 10);
  under_way.begin_inferred = true;
  sums.call(under_way);
  Call makers = made.call(30, "vfork", 0, 10);
  makers.begin_inferred = makers.has_result = true;
  makers.result.value = 31;
  sums.call(makers);
  makers.result.value = -11;
  sums.call(makers);
  makers.result.value = 0;
  sums.call(makers);
  made.end(sums);
  CHECK(row(sums.groups().front(), "clone").sums.calls == 1);
  CHECK(row(sums.groups().front(), "read").sums.calls == 1);
  // Calls under way when the recording began: one made a thread, one failed.
  CHECK(row(sums.groups().front(), "vfork").sums.calls == 2);
}

TEST_CASE("only calls that are wanted count") {
  Made made;
  Syscalls sums(made.names, SyscallsBy::kAll, 1,
                [](const Call& call) { return call.begin >= 1000; });
  sums.call(made.call(10, "read", 0, 5000));
  sums.call(made.call(10, "read", 1000, 10));
  made.end(sums);
  CHECK(sums.groups().front().all.calls == 1);
  CHECK(sums.slowest().front().call.duration() == 10);
}

TEST_CASE("a histogram by powers of two has every duration once, in its power") {
  reports::DurationHistogram histogram;
  for (const Ns duration : {3, 8, 15, 16, 1023, 1024}) histogram.add(duration);
  const reports::DurationPowers powers = histogram.powers();
  CHECK(powers.from(0) == 2);
  CHECK(powers.counts == std::vector<std::uint64_t>{1, 0, 2, 1, 0, 0, 0, 0, 1, 1});
  CHECK(powers.from(powers.counts.size() - 1) == 1024);
  CHECK(reports::DurationHistogram().powers().counts == std::vector<std::uint64_t>{0});
}

TEST_CASE("a number is an error only if errors have its name") {
  CHECK(errno_name(-2) == "ENOENT");
  CHECK(errno_name(-512) == "ERESTARTSYS");
  CHECK(errno_name(-4095).empty());
  CHECK(errno_name(-4096).empty());
  CHECK(errno_name(0).empty());
  CHECK(errno_name(2).empty());
  CHECK(errno_name(std::numeric_limits<std::int64_t>::min()).empty());
}

TEST_CASE("as lines, calls stand as strace shows them") {
  Made made;
  std::vector<std::string> lines;
  emit::SyscallLines text(made.names, {},
                          [&lines](std::string_view line) { lines.emplace_back(line); });
  text.call(made.call(10, "openat", 1'500, 20'000, {-2, false}));
  Call exit = made.call(11, "exit", 2'000'000'000, 5);
  exit.arg = 0xdead'beef'cafe;
  exit.has_result = false;
  exit.end_inferred = true;
  text.call(exit);
  CHECK(lines == std::vector<std::string>{
                     "0.000001500 [10] openat(0, ...) = -1 ENOENT <0.000020000>",
                     "2.000000000 [11] exit(0xdeadbeefcafe, ...) = ? <0.000000005> unfinished"});
}

TEST_CASE("a table says what it leaves out, and its waits stand in it whole") {
  Made made;
  Syscalls sums(made.names, SyscallsBy::kAll, 0, {});
  sums.call(made.call(10, "read", 0, 100));
  sums.call(made.call(10, "write", 0, 90));
  sums.call(made.call(10, "poll", 0, 80));
  made.end(sums);
  std::string text;
  emit::syscalls_table(sums.groups(), {1, true},
                       [&text](std::string_view line) { text += std::string(line) + "\n"; });
  CHECK(text.find("2 more") != text.npos);
  CHECK(text.find("write") == text.npos);
  CHECK(text.find("|####") != text.npos);
  CHECK(text.find("all: 3 calls, 0 failed, 0.000270 ms") != text.npos);
  std::vector<std::string> csv;
  emit::syscalls_csv(sums.groups(), [&csv](std::string_view line) { csv.emplace_back(line); });
  REQUIRE(csv.size() == 4);
  CHECK(std::ranges::count(csv[0], ',') == std::ranges::count(csv[1], ','));
}

}  // namespace kutrace::test
