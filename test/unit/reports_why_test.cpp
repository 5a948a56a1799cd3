// SPDX-License-Identifier: BSD-3-Clause
// Why a call was slow: what is to blame is named first, in words; intervals by every question.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "emit/text/cause_text.h"
#include "format/event_table.h"
#include "format/machine_fact.h"
#include "model/rpc_names.h"
#include "reports/blame.h"
#include "reports/interval_finder.h"
#include "reports/latency.h"
#include "reports/slowest.h"
#include "spans/rebuild.h"
#include "support/culprits.h"
#include "support/event_numbers.h"
#include "support/lines.h"

namespace kutrace::test {
namespace {

using reports::Asked;
using reports::Interval;
using reports::Question;

struct Answered {
  NameTable names;
  std::vector<Interval> intervals;
  std::uint64_t cut = 0;
  std::vector<std::string> why;  // causes of the longest, most time first
  Ns explained = 0;
};

void answer(const RawFile& file, const Question& question, Answered& out,
            std::size_t most_wakers = reports::CriticalPath::kMostWakers) {
  reports::IntervalFinder finder(
      question, out.names, [&](const Interval& found) { out.intervals.push_back(found); },
      [&](const Interval& /*cut*/) { ++out.cut; });
  REQUIRE(spans::rebuild(file, out.names, finder));
  if (out.intervals.empty()) return;
  Interval longest = out.intervals.front();
  for (const Interval& interval : out.intervals) {
    if (is_slower(interval, longest)) longest = interval;
  }
  const Facts facts;
  reports::Happenings happenings({{longest.begin, longest.end}}, out.names);
  REQUIRE(spans::rebuild(file, out.names, happenings));
  reports::CriticalPath path(happenings, most_wakers);
  const reports::Explained explained = explain(longest, happenings, path);
  const emit::CauseText text(happenings, out.names, facts);
  for (const reports::CauseTime& cause : explained.causes) {
    out.why.push_back(text.words(cause.cause, explained.thread));
    out.explained += cause.time;
  }
  CHECK(out.explained == longest.duration());
}

Lines intervals_of(const RawFile& file, const Question& question) {
  Answered answered;
  answer(file, question, answered);
  Lines lines;
  for (const Interval& i : answered.intervals) {
    lines.push_back(fmt::format("{}: {}..{}", i.pid, i.begin / 16, i.end / 16));
  }
  return lines;
}

TEST_CASE("each planted culprit is named first, in words") {
  for (const Culprit& culprit : culprits()) {
    Answered answered;
    TraceBuilder trace = culprit.trace();
    answer(trace.file(kCulpritStop), {.asked = Asked::kCall, .name = culprit.call}, answered);
    CAPTURE(culprit.name, answered.why);
    REQUIRE(!answered.why.empty());
    CHECK(answered.why.front() == culprit.words);
  }
}

TEST_CASE("a way through more wakers than allowed ends at the last one") {
  Answered answered;
  TraceBuilder trace = culprits().front().trace();
  answer(trace.file(kCulpritStop), {.asked = Asked::kCall, .name = "futex"}, answered, 0);
  CHECK(answered.why.front() ==
        "it waited for a lock or thread in futex, until holder.20 ended it in futex");
}

TraceBuilder named() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 1, "write");
  b.name(kind::kSYSCALL_NAME, 288, "accept4").name(kind::kSYSCALL_NAME, 3, "close");
  b.name(kind::kPID_NAME, 10, "server");
  return b;
}

TEST_CASE("a call that was under way at the begin is left out, a new thread's way out is no call") {
  TraceBuilder b = named();
  constexpr EventNum kVfork = syscall_event(58);
  b.name(kind::kSYSCALL_NAME, 58, "vfork").cpu(0, 10, "server");
  b.at(100, kVfork | kReturn, 11).at(200, ev::kUSERPID, 11).at(210, kVfork | kReturn, 0);
  Answered answered;
  answer(b.file(1000), {.asked = Asked::kCall, .name = "vfork"}, answered);
  CHECK(answered.intervals.empty());
  CHECK(answered.cut == 1);
}

TEST_CASE("calls of several names may be asked about") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").folded(100, kRead, 7, 10, 5).folded(200, kWrite, 8, 10, 5);
  b.folded(300, syscall_event(3), 8, 10, 0);
  const Question question{.asked = Asked::kCall, .name = "read,wri*"};
  CHECK(intervals_of(b.file(1000), question) == Lines{"10: 100..110", "10: 200..210"});
}

TEST_CASE("marks of one label nest") {
  constexpr std::uint32_t kBegin = 1;          // "a" in base 40
  constexpr std::uint32_t kEnd = 39 + 40 * 1;  // "/a"
  TraceBuilder b = named();
  b.cpu(0, 10, "server");
  b.at(100, ev::kMARK_A, kBegin).at(200, ev::kMARK_A, kBegin).at(300, ev::kMARK_A, kEnd);
  b.at(400, ev::kMARK_A, kEnd).at(500, ev::kMARK_A, kEnd);
  const Question question{.asked = Asked::kMark, .name = "a"};
  CHECK(intervals_of(b.file(1000), question) == Lines{"10: 200..300", "10: 100..400"});
}

TEST_CASE("a request goes from the first read on a file to the write on it") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").folded(100, kRead, 7, 10, 5).folded(200, kRead, 8, 10, 5);
  b.folded(220, kRead, 7, 10, 5).folded(240, kRead, 9, 10, -11).folded(260, kRead, 6, 10, 0);
  b.folded(300, kWrite, 8, 20, 5).folded(400, kWrite, 7, 10, 5).folded(500, kWrite, 9, 10, 5);
  b.folded(600, kWrite, 6, 10, 5);
  const Question question{.asked = Asked::kRequest, .name = "read", .until = "write"};
  CHECK(intervals_of(b.file(1000), question) == Lines{"10: 210..320", "10: 110..410"});
}

TEST_CASE("a request whose end may be lost does not last until the next one") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").folded(100, kRead, 7, 10, 5);
  b.lost(150, 200)
      .at(200, ev::kUSERPID, 10)
      .folded(300, kRead, 7, 10, 5)
      .folded(400, kWrite, 7, 10, 5);
  const Question question{.asked = Asked::kRequest, .name = "read", .until = "write"};
  CHECK(intervals_of(b.file(1000), question) == Lines{"10: 310..410"});
}

TEST_CASE("a loss on a CPU on which its thread did not run is nothing to a request") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").folded(100, kRead, 7, 10, 5).folded(300, kRead, 7, 10, 5);
  b.folded(400, kWrite, 7, 10, 5);
  b.cpu(1, 0, "idle").lost(150, 200).at(200, ev::kUSERPID, 0);
  const Question question{.asked = Asked::kRequest, .name = "read", .until = "write"};
  CHECK(intervals_of(b.file(1000), question) == Lines{"10: 110..410"});
}

TEST_CASE("a request is not answered on another file that got the number of its own") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").folded(100, kRead, 7, 10, 5).folded(200, syscall_event(3), 7, 10, 0);
  b.folded(300, syscall_event(288), 3, 10, 7).folded(400, kWrite, 7, 10, 5);
  b.folded(500, kRead, 8, 10, 5).folded(600, syscall_event(288), 3, 10, 8);  // closed by another
  b.folded(700, kWrite, 8, 10, 5).folded(800, kRead, 8, 10, 5).folded(900, kWrite, 8, 10, 5);
  const Question question{.asked = Asked::kRequest, .name = "read", .until = "write"};
  CHECK(intervals_of(b.file(1000), question) == Lines{"10: 810..910"});
}

TEST_CASE("a connection goes from the accept that returned its file to that file's close") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").folded(100, syscall_event(288), 3, 10, 7);
  b.folded(150, syscall_event(3), 8, 10, 0).folded(200, syscall_event(3), 7, 10, 0);
  const Question question{.asked = Asked::kRequest, .name = "accept4", .until = "close"};
  CHECK(intervals_of(b.file(1000), question) == Lines{"10: 110..210"});
}

TEST_CASE("what is done with what a call brought lasts until the next such call") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").folded(100, kRead, 7, 10, 5).folded(200, kWrite, 8, 10, 5);
  b.folded(300, kRead, 7, 10, -11).folded(400, kRead, 7, 10, 5);
  const Question question{.asked = Asked::kRequest, .name = "read", .until = "next"};
  CHECK(intervals_of(b.file(1000), question) == Lines{"10: 110..300"});
}

TEST_CASE("marks and RPCs are intervals of the thread that ends them") {
  TraceBuilder b = named();
  b.name(kind::kMETHOD_NAME, 5, "sum");
  // "a" and "/a" in base 40, the first character in the lowest place.
  b.cpu(0, 10, "server").at(100, ev::kMARK_A, 1).at(150, ev::kRPC_REQUEST, 5);
  b.at(200, ev::kMARK_A, 39 + 40 * 1).at(250, ev::kRPC_RESPONSE, 5);
  const RawFile file = b.file(1000);
  CHECK(intervals_of(file, {.asked = Asked::kMark, .name = "a"}) == Lines{"10: 100..200"});
  CHECK(intervals_of(file, {.asked = Asked::kRpc, .name = "sum"}) == Lines{"10: 150..250"});
}

TEST_CASE("an RPC has the name of its request, which a pattern fits") {
  TraceBuilder b = named();
  b.name(kind::kMETHOD_NAME, 5, "sum").name(kind::kMETHOD_NAME, 6, "get");
  b.cpu(0, 10, "server").at(150, ev::kRPC_REQUEST, 5).at(250, ev::kRPC_RESPONSE, 5);
  b.at(300, ev::kRPC_REQUEST, 6).at(350, ev::kRPC_RESPONSE, 6);
  Answered answered;
  answer(b.file(1000), {.asked = Asked::kRpc, .name = "s*"}, answered);
  REQUIRE(answered.intervals.size() == 1);
  CHECK(method_of(answered.names.text(answered.intervals.front().name)) == "sum");
}

TEST_CASE("a moment asks about the call around it, else about the wait") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(100, kRead, 7).at(110, ev::kUSERPID, 0).at(200, ev::kUSERPID, 10);
  b.at(210, kRead | kReturn, 1).at(300, ev::kUSERPID, 0).at(400, ev::kUSERPID, 10);
  const RawFile file = b.file(1000);
  const auto asked = [&](Ns tick) {
    return intervals_of(file, {.asked = Asked::kMoment, .pid = 10, .time = tick * 16});
  };
  CHECK(asked(150) == Lines{"10: 100..210"});
  CHECK(asked(350) == Lines{"10: 300..400"});
  Answered wait;
  answer(file, {.asked = Asked::kMoment, .pid = 10, .time = Ns{350} * 16}, wait);
  CHECK(wait.intervals.front().wait == 'z');
  CHECK(asked(250).empty());
}

TEST_CASE("calls that the recording cuts are counted and not explained") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(100, kRead, 7);
  Answered answered;
  answer(b.file(1000), {.asked = Asked::kCall, .name = "read"}, answered);
  CHECK(answered.intervals.empty());
  CHECK(answered.cut == 1);
}

// What all waits of a trace went to, most first: reason, letter of the wait, how many.
Lines blamed(TraceBuilder trace, std::size_t most_wakers, bool tells_waiters = false) {
  NameTable names;
  const auto any = [](const reports::Piece&, const reports::Happenings&) { return true; };
  reports::BlameSink sink({{0, Ns{1} << 62}}, names, any, most_wakers);
  if (tells_waiters) sink.tell_waiters(reports::BlameSink::Waiters::kByName);
  const RawFile file = trace.file(kCulpritStop);
  REQUIRE(spans::rebuild(file, names, sink));
  const Facts facts;
  const emit::CauseText text(sink.happenings(), names, facts);
  Lines lines;
  for (const auto& row : sink.blame().rows) {
    lines.push_back(fmt::format("{}{} {} {}", row.letter,
                                tells_waiters ? " " + text.name(row.waiter) : "", row.waits,
                                text.words(row.cause, reports::kNoRow)));
  }
  return lines;
}

// A thread that is in a call from 100 to 500 ns and waits for the disk in it from 150 to 450.
std::vector<std::string> why_it_waited(NameId (*file)(NameTable&)) {
  NameTable names;
  reports::Happenings happenings({{0, 1000}}, names);
  constexpr Pid kPid = 7;
  Span span;
  span.cpu = 0;
  span.pid = kPid;
  span.thread = ThreadId{1};
  const auto push = [&](SpanKind kind, Ns begin, Ns end) {
    span.kind = kind;
    span.start = begin;
    span.duration = end - begin;
    span.name = kind == SpanKind::kSyscall ? names.intern("fsync") : kNoName;
    span.event = kind == SpanKind::kWait ? ev::kWAIT_FIRST + ('d' - 'a') : 0;
    happenings.push(span);
  };
  push(SpanKind::kUser, 0, 100);
  push(SpanKind::kSyscall, 100, 150);
  push(SpanKind::kWait, 150, 450);
  push(SpanKind::kSyscall, 450, 500);
  CallDetails details;
  details.file = file(names);
  Call call;
  call.thread = ThreadId{1};
  call.pid = kPid;
  call.name = names.intern("fsync");
  call.begin = 100;
  call.end = 500;
  call.blocked = 300;
  call.details = &details;
  happenings.call(call);
  TraceInfo info;
  info.end = 1000;
  happenings.end(info);
  reports::CriticalPath path(happenings);
  const auto explained =
      explain({.begin = 0, .end = 500, .pid = kPid, .thread = ThreadId{1}}, happenings, path);
  const emit::CauseText text(happenings, names, info.facts);
  std::vector<std::string> words;
  for (const reports::PathPiece& piece : explained.path) {
    words.push_back(text.words(piece.cause, explained.thread));
  }
  return words;
}

// The victim waits for a message from 1,000 to 80,000; of those that its CPU receives the last is
// it. The server sends that at 60,000, on the same or another machine.
std::vector<std::string> why_a_message_came_late(Pid server, std::uint32_t sent,
                                                 std::uint32_t sent_by_another = 1,
                                                 bool by_softirq = false) {
  constexpr EventNum kSendto = 0x82c;
  constexpr EventNum kRecvfrom = 0x82d;
  constexpr EventNum kCard = 0x531;
  constexpr std::uint32_t kOther = 76;
  constexpr std::uint32_t kIt = 77;
  TraceBuilder b = named();
  b.fact("machine.0", "host=a cpus=0 threads_from=0 begin_ns=0 clock=own");
  b.fact("machine.1", "host=b cpus=1-2 threads_from=4194304 begin_ns=0 clock=own");
  b.name(kind::kSYSCALL_NAME, 44, "sendto").name(kind::kSYSCALL_NAME, 45, "recvfrom");
  b.name(kind::kPID_NAME, 10, "victim");
  b.name(kind::kPID_NAME, static_cast<std::uint32_t>(server), "server");
  b.cpu(0, 10, "victim").at(1000, kRecvfrom, 3).at(1010, ev::kUSERPID, 0);
  b.at(79'900, kCard).at(79'950, kCard | kReturn).at(79'950, ev::kBottomHalf, 3);
  b.at(79'960, ev::kRX_PACKET, kOther).at(79'990, ev::kRX_PACKET, kIt);
  b.at(80'000, ev::kRUNNABLE, 10).at(80'010, ev::kBottomHalf | kReturn, 3);
  b.at(80'020, ev::kUSERPID, 10).at(80'030, kRecvfrom | kReturn, 8);
  b.cpu(1, server, "server").at(59'990, kSendto, 5);
  if (by_softirq) b.at(59'995, ev::kBottomHalf, 2);
  b.at(60'000, ev::kTX_PACKET, sent);
  if (by_softirq) b.at(60'005, ev::kBottomHalf | kReturn, 2);
  b.at(60'010, kSendto | kReturn, 8);
  b.cpu(2, server + 10, "another").at(50'000, kSendto, 5);
  b.at(50'010, ev::kTX_PACKET, sent_by_another).at(50'020, kSendto | kReturn, 8);
  Answered answered;
  answer(b.file(kCulpritStop), {.asked = Asked::kCall, .name = "recvfrom"}, answered);
  return answered.why;
}

TEST_CASE("a message of another machine leads to what its sender did before it") {
  const std::string by = "server." + std::to_string(kThreadsOfMachine + 20);
  const bool by_softirq = GENERATE(false, true);
  const auto why = why_a_message_came_late(kThreadsOfMachine + 20, 77, 1, by_softirq);
  CAPTURE(why);
  REQUIRE(why.size() >= 2);
  CHECK(why[0] == "it waited for a message on a socket, and " + by + " ran its own code");
  CHECK(why[1].starts_with("it waited for the network in recvfrom, until "));
  CHECK(why[1].ends_with(" brought what " + by + " sent"));
}

TEST_CASE("a message that nobody on another machine sent is the network's") {
  // Sent by nobody, by a thread of the same machine, or by either of two.
  for (const auto& why :
       {why_a_message_came_late(kThreadsOfMachine + 20, 75), why_a_message_came_late(20, 77),
        why_a_message_came_late(kThreadsOfMachine + 20, 77, 76)}) {
    CAPTURE(why);
    REQUIRE(!why.empty());
    CHECK(why[0].starts_with("it waited for the network in recvfrom, until "));
    CHECK(why[0].ends_with(" ended it"));
  }
}

TEST_CASE("a wait says which file its call is about, where that is told") {
  const auto log = [](NameTable& names) { return names.intern("/data/log"); };
  CHECK(why_it_waited(log) ==
        std::vector<std::string>{
            "it ran its own code", "it was on a CPU in fsync",
            "it waited for the disk in fsync on /data/log; who ended that is not known",
            "it was on a CPU in fsync"});
  const auto none = [](NameTable&) { return kNoName; };
  CHECK(why_it_waited(none)[2] == "it waited for the disk in fsync; who ended that is not known");
}

TEST_CASE("waits are blamed on who had the CPU and on who ended them") {
  const auto find = [](const Lines& lines, const std::string& line) {
    CAPTURE(lines);
    CHECK(std::ranges::find(lines, line) != lines.end());
  };
  for (const Culprit& culprit : culprits()) {
    if (std::string_view(culprit.name) == "a CPU hog") {
      find(blamed(culprit.trace(), 0, true), "c victim 1 it was ready, and its CPU ran hog");
      find(blamed(culprit.trace(), 0), "c 1 it was ready, and its CPU ran hog");
    }
    if (std::string_view(culprit.name) == "a lock holder that sleeps") {
      find(blamed(culprit.trace(), 0),
           "l 1 it waited for a lock or thread in futex, until holder ended it in futex");
      find(blamed(culprit.trace(), reports::CriticalPath::kMostWakers),
           "l 1 it waited for a lock or thread, and holder slept in nanosleep, until local_timer "
           "ended it");
    }
  }
}

// The victim is taken off CPU 0 by the hog, and goes on where another thread slept a moment ago.
TEST_CASE("who took a thread's CPU is blamed though it goes on upon another") {
  TraceBuilder b = named();
  b.name(kind::kPID_NAME, 20, "hog").name(kind::kPID_NAME, 30, "other");
  b.cpu(0, 10, "server").at(100, ev::kUSERPID, 20 | KUTRACE_SWITCH_RUNNABLE);
  b.cpu(1, 30, "other").at(400, ev::kUSERPID, 0).at(500, ev::kUSERPID, 10);
  const Lines lines = blamed(b, 0);
  CAPTURE(lines);
  CHECK(std::ranges::find(lines, "c 1 it was ready, and its CPU ran hog") != lines.end());
  CHECK(std::ranges::find(lines, "c 1 it was ready, and its CPU ran other") == lines.end());
}

// As above, but the CPU that it left is idle from 300 on.
TEST_CASE("a CPU that idles is none that a thread waits for") {
  TraceBuilder b = named();
  b.name(kind::kPID_NAME, 20, "hog").name(kind::kPID_NAME, 30, "other");
  b.cpu(0, 10, "server")
      .at(100, ev::kUSERPID, 20 | KUTRACE_SWITCH_RUNNABLE)
      .at(300, ev::kUSERPID, 0);
  b.cpu(1, 30, "other").at(500, ev::kUSERPID, 10);
  const Lines lines = blamed(b, 0);
  CAPTURE(lines);
  CHECK(std::ranges::find(lines, "c 1 it was ready, and its CPU ran hog") != lines.end());
  CHECK(std::ranges::find(lines, "c 1 it was ready, and its CPU ran other") != lines.end());
}

Interval lasting(Ns duration, Ns begin = 0) { return {.begin = begin, .end = begin + duration}; }

TEST_CASE("of many intervals the slowest are chosen, and some of the others") {
  reports::Slowest three = reports::Slowest::number(3);
  reports::Slowest percent = reports::Slowest::share(1);
  constexpr Ns kCount = 10'000;
  for (Ns i = 0; i < kCount; ++i) {
    const Ns duration = 1 + i * 7919 % kCount;  // each duration once
    three.add(lasting(duration, i));
    percent.add(lasting(duration, i));
  }
  three.finish();
  percent.finish();
  REQUIRE(three.slowest().size() == 3);
  CHECK(three.slowest().front().duration() == kCount);
  CHECK(three.slowest().back().duration() == kCount - 2);
  REQUIRE(percent.slowest().size() == 100);
  CHECK(percent.slowest().back().duration() == kCount - 99);
  for (const reports::Slowest* chosen : {&three, &percent}) {
    CHECK(chosen->count() == kCount);
    CHECK(chosen->others().size() == reports::Slowest::kMostOthers);
    for (const Interval& other : chosen->others()) {
      CHECK(other.duration() < chosen->slowest().back().duration());
    }
  }
}

TEST_CASE("the others last as long on average as all of which they are some") {
  for (const Ns count : {4'000, 900'000, 1'700'000}) {
    CAPTURE(count);
    reports::Slowest chosen = reports::Slowest::number(5);
    long double all = 0;
    for (Ns i = 0; i < count; ++i) {
      const Ns place = i * 7919 % count;  // each once
      // Half of all time is that of one in twenty.
      const Ns duration = place % 20 == 0 ? 19'000 + place % 2'000 : 1'000 + place % 100;
      all += static_cast<long double>(duration);
      chosen.add(lasting(duration, i));
    }
    chosen.finish();
    CHECK(chosen.others().size() == reports::Slowest::kMostOthers);
    long double sum = 0;
    for (const Interval& other : chosen.others()) sum += static_cast<long double>(other.duration());
    const long double mean = all / static_cast<long double>(count);
    CHECK(std::abs(sum / reports::Slowest::kMostOthers - mean) < mean / 20);
  }
}

}  // namespace
}  // namespace kutrace::test
