// SPDX-License-Identifier: BSD-3-Clause
// A program with a known pattern gives back exactly what it did.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

#include "kutrace/mark.h"
#include "live/live_support.h"
#include "support/event_numbers.h"

namespace kutrace::live {

namespace {

using test::kFault;
using test::kReturn;

constexpr std::uint32_t kCall = 0x800;  // plus the number of a system call
constexpr std::uint32_t kMarkA = 0x20a;
constexpr std::uint32_t kMarkB = 0x20b;
constexpr std::uint32_t kMarkC = 0x20c;
constexpr std::uint32_t kMarkD = 0x20d;
constexpr std::uint32_t kSwitch = 0x200;
constexpr std::uint32_t kPacketReceived = 0x214;
constexpr std::uint32_t kPacketSent = 0x215;

struct Recording {
  std::map<std::string, std::int64_t> told;  // by the program
  std::vector<Seen> events;
  std::int64_t start = 0;
  bool whole = true;  // no context switch is missing

  std::int64_t count(const std::function<bool(const Seen&)>& test) const {
    return std::count_if(events.begin(), events.end(), test);
  }
  // The event of a system call; the number is that of the machine that was recorded.
  std::uint32_t call(const std::string& name) const {
    return kCall + static_cast<std::uint32_t>(told.at("nr_" + name));
  }
  const Seen& find(std::uint32_t event, std::uint64_t arg) const {
    const auto found = std::find_if(events.begin(), events.end(), [&](const Seen& seen) {
      return seen.event == event && seen.arg == arg;
    });
    REQUIRE(found != events.end());
    return *found;
  }
};

// Some virtual machines hide a context switch now and then from every tracer; which thread ran is
// then wrong until the next. The reader sees that a switch is missing.
bool has_every_switch(const std::string& trace) {
  const std::string found = shell("$KUTRACE check " + trace).out;
  return found.find("unseen_switch") == std::string::npos &&
         found.find("block_pid_mismatch") == std::string::npos;
}

Recording take_recording() {
  const Folder folder;
  const std::string trace = folder.file("trace.raw");
  const Outcome outcome =
      shell("$KUTRACE record -o " + trace + " -- $PATTERN " + folder.file("data"));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  REQUIRE(outcome.err.find("nothing lost") != std::string::npos);
  require_law(trace);
  return Recording{values(outcome.out), events_of(trace), start_ns(trace), has_every_switch(trace)};
}

// A recording made elsewhere, of the program whose output stands beside it.
std::optional<Recording> given_recording() {
  const char* trace = std::getenv("KUTRACE_PATTERN_TRACE");
  const char* told = std::getenv("KUTRACE_PATTERN_TOLD");
  if (trace == nullptr || told == nullptr) return std::nullopt;
  require_law(trace);
  return Recording{values(read_file(told)), events_of(trace), start_ns(trace)};
}

bool has_recording() { return std::getenv("KUTRACE_PATTERN_TRACE") != nullptr || can_record(); }

const Recording& recording() {
  static const Recording result = [] {
    if (auto given = given_recording()) return *std::move(given);
    constexpr int kTries = 10;
    Recording taken = take_recording();
    for (int i = 1; i < kTries && !taken.whole; ++i) taken = take_recording();
    if (!taken.whole) WARN("every recording lacks a context switch");
    return taken;
  }();
  return result;
}

// Time of each return of this call in this thread, with the time of its call.
std::vector<std::int64_t> durations(const Recording& r, std::int64_t pid, std::uint32_t call) {
  std::vector<std::int64_t> result;
  std::int64_t open = -1;
  for (const Seen& seen : r.events) {
    if (seen.pid != pid) continue;
    if (seen.event == call && seen.duration_ns >= 0)
      result.push_back(seen.duration_ns);
    else if (seen.event == call)
      open = seen.time_ns;
    else if (seen.event == (call | kReturn) && open >= 0)
      result.push_back(seen.time_ns - open);
  }
  return result;
}

}  // namespace

TEST_CASE("every getppid call is recorded, once", "[pattern]") {
  if (!has_recording()) return;
  const Recording& r = recording();
  const auto tag = static_cast<std::uint64_t>(r.told.at("call_tag"));
  const std::uint32_t getppid = r.call("getppid");
  CHECK(r.count([&](const Seen& s) { return s.event == getppid && s.arg == tag; }) ==
        r.told.at("getppid"));
}

TEST_CASE("a mark stands between the clock readings around it", "[pattern]") {
  if (!has_recording()) return;
  const Recording& r = recording();
  const std::int64_t begin = r.find(kMarkA, kutrace_label("calls")).time_ns + r.start;
  const std::int64_t end = r.find(kMarkA, kutrace_label("/calls")).time_ns + r.start;
  constexpr std::int64_t kTick = 64;
  CHECK(begin + kTick > r.told.at("calls_before"));
  CHECK(begin < r.told.at("calls_after"));
  CHECK(end + kTick > r.told.at("calls_end_before"));
  CHECK(end < r.told.at("calls_end_after"));
}

TEST_CASE("every first touch of a fresh page is one page fault with its return", "[pattern]") {
  if (!has_recording()) return;
  const Recording& r = recording();
  const std::int64_t pid = r.told.at("pid");
  const std::int64_t begin = r.find(kMarkB, kutrace_label("fault")).time_ns;
  const std::int64_t end = r.find(kMarkB, kutrace_label("/fault")).time_ns;
  const auto inside = [&](const Seen& s) {
    return s.pid == pid && s.time_ns >= begin && s.time_ns <= end;
  };
  CHECK(r.count([&](const Seen& s) { return inside(s) && s.event == kFault; }) ==
        r.told.at("faults"));
  CHECK(r.count([&](const Seen& s) {
    return inside(s) &&
           ((s.event == kFault && s.duration_ns >= 0) || s.event == (kFault | kReturn));
  }) == r.told.at("faults"));
}

TEST_CASE("sleeps last as long as the program measured", "[pattern]") {
  if (!has_recording()) return;
  const Recording& r = recording();
  const auto slept = durations(r, r.told.at("pid"), r.call("nanosleep"));
  REQUIRE(slept.size() == static_cast<std::size_t>(r.told.at("sleeps")));
  for (std::size_t i = 0; i < slept.size(); ++i) {
    CHECK(slept[i] >= r.told.at("sleep_ns"));
    CHECK(slept[i] <= r.told.at("sleep" + std::to_string(i)));
  }
}

TEST_CASE("a ping-pong of two pinned threads has every read and write, on the right CPUs",
          "[pattern]") {
  if (!has_recording()) return;
  const Recording& r = recording();
  for (const std::string name : {"ping", "pong"}) {
    const auto cpu = static_cast<std::uint32_t>(r.told.at(name + "_cpu"));
    const auto calls = [&](std::uint32_t event, const std::string& what) {
      const auto file = static_cast<std::uint64_t>(r.told.at(name + what));
      return r.count(
          [&](const Seen& s) { return s.event == event && s.arg == file && s.cpu == cpu; });
    };
    CHECK(calls(r.call("read"), "_reads") == r.told.at("rounds"));
    CHECK(calls(r.call("write"), "_writes") == r.told.at("rounds"));
  }
}

TEST_CASE("a spinning loop has the processor time that the kernel charged it", "[pattern]") {
  if (!has_recording()) return;
  const Recording& r = recording();
  if (!r.whole) return;  // who ran is not known all the time
  const std::int64_t pid = r.told.at("pid");
  const std::int64_t begin = r.find(kMarkC, kutrace_label("spin")).time_ns;
  const std::int64_t end = r.find(kMarkC, kutrace_label("/spin")).time_ns;
  std::int64_t running = 0;
  std::int64_t since = begin;
  for (const Seen& seen : r.events) {
    if (seen.time_ns < begin || seen.time_ns > end || seen.event != kSwitch) continue;
    if (seen.pid == pid) running += seen.time_ns - since;
    if (static_cast<std::int64_t>(seen.arg) == pid) since = seen.time_ns;
  }
  running += end - since;
  const auto charged = static_cast<double>(r.told.at("spin_cpu_ns"));
  CHECK(static_cast<double>(running) > 0.95 * charged);
  const auto stolen = static_cast<double>(r.told.at("spin_stolen_ns"));
  CHECK(static_cast<double>(running) < 1.05 * charged + stolen);
}

TEST_CASE("a written file shows its writes, its fsync and the marks around them", "[pattern]") {
  if (!has_recording()) return;
  const Recording& r = recording();
  const std::int64_t pid = r.told.at("pid");
  const std::int64_t begin = r.find(kMarkD, 1).time_ns;
  const std::int64_t end = r.find(kMarkD, 2).time_ns;
  const auto calls = [&](std::uint32_t event) {
    return r.count([&](const Seen& s) {
      return s.event == event && s.pid == pid && s.time_ns > begin && s.time_ns < end;
    });
  };
  CHECK(calls(r.call("pwrite")) == r.told.at("pwrites"));
  CHECK(calls(r.call("fsync")) == 1);
}

TEST_CASE("packets are seen leaving and arriving, by the hash of their payload",
          "[pattern][packets]") {
  if (!has_recording()) return;
  const Recording& r = recording();
  for (const char* hash : {"udp_hash", "tcp_hash"}) {
    const auto sent = static_cast<std::uint64_t>(r.told.at(hash));
    for (const std::uint32_t event : {kPacketSent, kPacketReceived})
      CHECK(r.count([&](const Seen& s) { return s.event == event && s.arg == sent; }) ==
            r.told.at("packets"));
  }
}

}  // namespace kutrace::live
