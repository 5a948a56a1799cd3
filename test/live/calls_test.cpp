// SPDX-License-Identifier: BSD-3-Clause
// Calls of a program that knows what it did: as many as it made, and none lasts longer than the
// program's own clock says, which it read before and after.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "live/live_support.h"

namespace kutrace::live {

namespace {

constexpr std::array kNames = {"fsync",   "pwrite64", "read", "clock_nanosleep", "poll", "getppid",
                               "pread64", "lseek",    "dup",  "fdatasync"};
// What two readings of a clock in ticks are apart from the same two in nanoseconds.
constexpr std::int64_t kTicks = 2 * 16;

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, at);) fields.push_back(field);
  return fields;
}

struct Recorded {
  std::int64_t count = 0;
  std::int64_t longest = 0;
  std::string unit;
};

// System calls of the thread, as `profile` sums them up.
std::map<std::string, Recorded> profiled(const std::string& trace, std::int64_t tid) {
  std::istringstream lines(shell("$KUTRACE profile --by threads --format csv " + trace).out);
  std::map<std::string, Recorded> found;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = split(line, ',');
    if (fields.size() < 17 || fields[1] != std::to_string(tid) || fields[6] != "syscall") continue;
    found[fields[7]] = {std::stoll(fields[9]), std::stoll(fields[13]), fields[15]};
  }
  return found;
}

// The same, as `syscalls` does.
std::map<std::string, Recorded> summed_up(const std::string& trace, std::int64_t tid) {
  const std::string pid = std::to_string(tid);
  std::istringstream lines(
      shell("$KUTRACE syscalls --by thread --format csv --pid " + pid + " " + trace).out);
  std::map<std::string, Recorded> found;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = split(line, ',');
    if (fields.size() < 12 || !fields[0].ends_with("." + pid)) continue;
    found[fields[1]] = {std::stoll(fields[2]), std::stoll(fields[9]), "call"};
  }
  return found;
}

// Begin and end of something, in ns.
using Interval = std::pair<std::int64_t, std::int64_t>;

// The thread's calls of this name, as `dump` lists them.
std::vector<Interval> listed(const std::string& dump, std::int64_t tid, const std::string& name) {
  std::istringstream lines(dump);
  std::vector<Interval> calls;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = split(line, ' ');
    if (fields.size() < 14 || fields[3] != std::to_string(tid) || fields[13] != '"' + name + '"') {
      continue;
    }
    const std::int64_t begin = std::stoll(fields[0]);
    calls.emplace_back(begin, begin + std::stoll(fields[1]));
  }
  return calls;
}

std::int64_t length(const Interval& interval) { return interval.second - interval.first; }

// The lives that had this number, in order.
std::vector<Interval> lives(const std::string& trace, std::int64_t pid) {
  std::istringstream lines(shell("$KUTRACE dump --stage threads " + trace).out);
  std::vector<Interval> found;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = split(line, ' ');
    if (fields[2] != std::to_string(pid)) continue;
    const std::int64_t begin = std::stoll(fields[0]);
    found.emplace_back(begin, begin + std::stoll(fields[1]));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

TEST_CASE("two processes that have one number in turn are two", "[calls]") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("reuse.raw");
  const Outcome outcome = shell("$KUTRACE record -o " + trace + " -- $REUSE");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  require_law(trace);
  const std::int64_t pid = values(outcome.out).at("pid");
  const auto found = lives(trace, pid);
  REQUIRE(found.size() == 2);
  CHECK(found[0].second <= found[1].first);
  const std::string dump = shell("$KUTRACE dump --stage calls " + trace).out;
  const std::vector<Interval> calls = listed(dump, pid, "getppid");
  constexpr std::array kMade = {3, 5};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = found[i];
    CHECK(std::ranges::count_if(calls, [&](const Interval& call) {
            return call.first >= begin && call.first < end;
          }) == kMade[i]);
  }
}

TEST_CASE("ten system calls are as many as were made, and last as long", "[calls]") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("calls.raw");
  const Outcome outcome =
      shell("$KUTRACE record -o " + trace + " -- $CALLS " + folder.file("data"));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  require_law(trace);
  const std::map<std::string, std::int64_t> told = values(outcome.out);
  const std::map<std::string, Recorded> found = profiled(trace, told.at("tid"));
  const std::string dump = shell("$KUTRACE dump --stage calls " + trace).out;
  for (const char* name : kNames) {
    CAPTURE(name);
    REQUIRE(found.contains(name));
    const Recorded& recorded = found.at(name);
    CHECK(recorded.unit == "call");
    CHECK(recorded.count == told.at(std::string("count_") + name));
    const auto longest = told.find(std::string("longest_") + name);
    if (longest != told.end()) CHECK(recorded.longest <= longest->second + kTicks);
    const std::vector<Interval> calls = listed(dump, told.at("tid"), name);
    CHECK(static_cast<std::int64_t>(calls.size()) == recorded.count);
    CHECK(length(*std::ranges::max_element(calls, {}, length)) == recorded.longest);
  }
  const std::map<std::string, Recorded> summed = summed_up(trace, told.at("tid"));
  for (const char* name : kNames) {
    CAPTURE(name);
    REQUIRE(summed.contains(name));
    CHECK(summed.at(name).count == found.at(name).count);
    CHECK(summed.at(name).longest == found.at(name).longest);
  }
  // A call that blocks lasts as long as it is blocked.
  for (const Interval& call : listed(dump, told.at("tid"), "clock_nanosleep")) {
    CHECK(length(call) >= 2'000'000);
  }
  for (const Interval& call : listed(dump, told.at("tid"), "poll")) {
    CHECK(length(call) >= 3'000'000);
  }
}

// Sizes whose low 16 bits look like errors, an address, and a true error.
TEST_CASE("results are those that the program got, however large", "[calls]") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("results.raw");
  const Outcome outcome = shell("$KUTRACE record --source ebpf -o " + trace +
                                " -- python3 -c '"
                                "import ctypes, os\n"
                                "zero = os.open(\"/dev/zero\", os.O_RDONLY)\n"
                                "for size in (40000, 65525, 65536, 65534, 1000000):\n"
                                "    assert len(os.pread(zero, size, 0)) == size\n"
                                "c = ctypes.CDLL(None)\n"
                                "c.mremap.restype = c.mmap.restype = ctypes.c_void_p\n"
                                "here = c.mmap(None, 1 << 20, 3, 0x22, -1, ctypes.c_long(0))\n"
                                "there = c.mremap(ctypes.c_void_p(here), 1 << 20, 1 << 22, 1)\n"
                                "assert c.pread(-1, None, 0, ctypes.c_long(0)) == -1\n"
                                "print(\"tid=%d\" % os.getpid())\n"
                                "print(\"there=%d\" % there)'");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  require_law(trace);
  const auto told = values(outcome.out);
  std::istringstream lines(shell("$KUTRACE dump --stage calls " + trace).out);
  std::vector<std::string> reads;
  std::vector<std::string> moved;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = split(line, ' ');
    if (fields.size() < 14 || fields[3] != std::to_string(told.at("tid"))) continue;
    if (fields[13] == "\"pread64\"") reads.push_back(fields[7]);
    if (fields[13] == "\"mremap\"") moved.push_back(fields[7]);
  }
  // The loader of programs makes some of its own before.
  const std::vector<std::string> made{"40000", "65525", "65536", "65534", "1000000", "-9"};
  REQUIRE(reads.size() >= made.size());
  reads.erase(reads.begin(), reads.end() - std::ssize(made));
  CHECK(reads == made);
  REQUIRE_FALSE(moved.empty());
  CHECK(moved.back() == std::to_string(told.at("there")));
}

}  // namespace kutrace::live
