// SPDX-License-Identifier: BSD-3-Clause
// Threads that make a call again and again, of which nothing comes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/counted.h"
#include "format/errno_name.h"
#include "model/by_name.h"
#include "model/native_call.h"
#include "odd/common_call.h"
#include "odd/detectors.h"
#include "odd/windows.h"

namespace kutrace::odd {

namespace {

// A server that drains its sockets gets an EAGAIN for each of its requests, but makes other calls
// for them, too.
constexpr std::uint64_t kLeastShare = 80;
// Ten thousand a second: a program that polls at intervals makes a thousand at most.
constexpr std::uint64_t kLeastCalls = kWindow / 100'000;
constexpr std::uint64_t kLeastWindows = 2;
// Who asks what it knows does so between its work: not that is lost, but what the calls take.
constexpr Ns kLeastAsking = kWindow / 10;
// A result may have 16 bits, so that 64 KiB look like nothing; to copy them takes longer than this.
constexpr Ns kShortestCopy = 1'000;

// Nothing came of it: not yet, not now, or nothing there.
bool is_in_vain(std::int64_t result) {
  constexpr std::array<std::string_view, 5> kErrors = {"EAGAIN", "EINTR", "EBUSY", "ETIMEDOUT",
                                                       "ENOBUFS"};
  return result < 0 && std::ranges::find(kErrors, errno_name(result)) != kErrors.end();
}

// Calls that return 0 if there was nothing for them.
bool asks_for_something(std::string_view call) {
  constexpr std::array<std::string_view, 12> kCalls = {
      "recvmmsg",    "poll",         "ppoll",       "select", "pselect6", "epoll_wait",
      "epoll_pwait", "epoll_pwait2", "sched_yield", "wait4",  "waitid",   "io_getevents"};
  return std::ranges::find(kCalls, call) != kCalls.end();
}

// Calls that return how many bytes there were.
bool asks_for_bytes(std::string_view call) {
  constexpr std::array<std::string_view, 7> kCalls = {"read",    "readv",    "pread64", "preadv",
                                                      "preadv2", "recvfrom", "recvmsg"};
  return std::ranges::find(kCalls, call) != kCalls.end();
}

// Calls whose answer nobody needs ten thousand times a second: it stays the same,
bool asks_what_is_known(std::string_view call) {
  constexpr std::array<std::string_view, 6> kCalls = {"getpid", "gettid",  "getppid",
                                                      "getuid", "geteuid", "getpgrp"};
  return std::ranges::find(kCalls, call) != kCalls.end();
}
// or it can be had without a call.
bool asks_for_time(std::string_view call) {
  constexpr std::array<std::string_view, 5> kCalls = {"clock_gettime", "time", "times", "getcpu",
                                                      "gettimeofday"};
  return std::ranges::find(kCalls, call) != kCalls.end();
}

enum class Of : std::uint8_t { kNothing, kSomething, kBytes, kKnown, kTime };

Of kind_of(std::string_view name) {
  const std::string_view call = native_call(name);
  if (asks_for_something(call)) return Of::kSomething;
  if (asks_for_bytes(call)) return Of::kBytes;
  if (asks_for_time(call)) return Of::kTime;
  return asks_what_is_known(call) ? Of::kKnown : Of::kNothing;
}

struct Calls {
  std::uint64_t all = 0;
  std::uint64_t in_vain = 0;
  std::uint64_t known = 0;  // of these: what the thread knew
  std::uint64_t times = 0;  // of these: what time it was
  Ns asking = 0;            // in those two
  Ns executed = 0;          // in all, and between them
  // From the first to the last in vain, and how long that is, summed up over windows.
  TimeWindow when;
  Ns lasted = 0;
  Pid pid = kNoPid;      // the thread's number then
  CommonCall commonest;  // of those in vain

  void add(const Calls& more) {
    all += more.all;
    in_vain += more.in_vain;
    known += more.known;
    times += more.times;
    asking += more.asking;
    executed += more.executed;
    when = lasted == 0 ? more.when : TimeWindow{when.begin, more.when.end};
    lasted += more.when.end - more.when.begin;
    pid = more.pid;
    commonest.add(more.commonest);
  }
};

bool only_asked(const Calls& calls) { return (calls.known + calls.times) * 2 > calls.in_vain; }

std::string_view what_for(const Calls& calls) {
  if (!only_asked(calls)) return "that came to nothing";
  return calls.known > calls.times ? "whose answer it knew" : "that asked for the time or a CPU";
}

Ns cost_of(const Calls& window) {
  const bool most = window.in_vain * 100 > window.all * kLeastShare;
  if (window.in_vain <= kLeastCalls || !most) return 0;
  if (!only_asked(window)) return window.executed;
  return window.asking >= kLeastAsking ? window.asking : 0;
}

class Spin : public Detector {
 public:
  Spin(const Scene& scene, const NameTable& names) : scene_(scene), kind_of_(names, kind_of) {}

  void call(const ReturnedCall& call) override {
    if (call.row >= threads_.size()) threads_.resize(call.row + std::size_t{1});
    Thread& thread = threads_[call.row];
    Calls& window = thread.windows.at(call.end, cost_of);
    window.executed =
        std::min(kWindow, window.executed + scene_.executed(call.row) - thread.executed);
    thread.executed = scene_.executed(call.row);
    ++window.all;
    const Of kind = kind_of_.of(call.name);
    if (!comes_to_nothing(call, kind)) return;
    if (++window.in_vain == 1) window.when.begin = call.begin;
    window.when.end = call.end;
    if (kind == Of::kKnown || kind == Of::kTime) {
      ++(kind == Of::kKnown ? window.known : window.times);
      window.asking = std::min(kWindow, window.asking + call.end - call.begin - call.blocked);
    }
    window.pid = call.pid;
    window.commonest.add({call.name, call.result, 1});
  }

  void report(const Told& told, const Give& give) override {
    for (Row row = 0; row < threads_.size(); ++row) {
      Windows<Calls>& windows = threads_[row].windows;
      windows.finish(cost_of);
      const Cases& spins = windows.storms();
      if (spins.count < kLeastWindows) continue;
      const Calls& all = windows.in_storms();
      const CommonCall::Named& example = all.commonest.commonest();
      const std::string_view error = errno_name(example.result);
      give(
          {.cost = spins.cost,
           .when = spins.worst,
           .row = row,
           .words = fmt::format(
               "{} made {} in {} {}, such as {}, which returned {}; that took {} of a CPU",
               told.who(row), counted(all.in_vain, "call", "calls"),
               lasting(std::min(all.lasted, told.recorded)), what_for(all),
               told.names.text(example.name),
               error.empty() ? fmt::format("{}", example.result) : std::string(error),
               lasting(spins.cost)),
           .command = fmt::format("syscalls --by thread --pid {} {}", all.pid, from_to(all.when))});
    }
  }

 private:
  struct Thread {
    Windows<Calls> windows;
    Ns executed = 0;  // up to its last call
  };
  static bool comes_to_nothing(const ReturnedCall& call, Of kind) {
    if (kind == Of::kKnown || kind == Of::kTime) return true;
    if (call.result < 0) return is_in_vain(call.result);
    if (kind == Of::kNothing || call.result != 0) return false;
    return kind == Of::kSomething || call.end - call.begin - call.blocked < kShortestCopy;
  }

  const Scene& scene_;
  ByName<Of> kind_of_;
  std::vector<Thread> threads_;  // by row
};

}  // namespace

const DetectorKind kSpin = {
    "spin",
    "processes that spin on a call",
    [] {
      return fmt::format(
          "a thread makes more than {} calls in {}, more than {} % of all its calls, without "
          "effect: EAGAIN, EINTR, EBUSY, ETIMEDOUT, ENOBUFS, 0 from calls that wait for "
          "something, or within {} from calls that read; or calls with a constant result, such as "
          "getpid, or that ask for the time, such as clock_gettime, for {} in these calls; {} such "
          "times at least",
          grouped(kLeastCalls), lasting(kWindow), kLeastShare, lasting(kShortestCopy),
          lasting(kLeastAsking), kLeastWindows);
    },
    kHearsCalls,
    make_detector<Spin>,
    false,
    {EventGroup::kSyscalls}};

}  // namespace kutrace::odd
