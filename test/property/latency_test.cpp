// SPDX-License-Identifier: BSD-3-Clause
// The law of latency over generated traces, whole and damaged: the causes of an interval are
// disjoint and add up to it, and what the thread itself did in it is what its spans say.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "format/event_table.h"
#include "format/machine_fact.h"
#include "reports/blame.h"
#include "reports/comparison.h"
#include "reports/critical_path.h"
#include "reports/interval_finder.h"
#include "reports/request_times.h"
#include "reports/requests.h"
#include "reports/syscalls.h"
#include "spans/rebuild.h"
#include "support/joined_machines.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

using reports::CauseKind;
using reports::Interval;
using reports::PathPiece;

constexpr std::uint64_t kSeeds = 60;

// All spans of threads, and all calls as intervals.
class Kept : public SpanSink {
 public:
  void push(const Span& span) override {
    if (span.thread != ThreadId::kNone) spans.push_back(span);
  }
  void call(const Call& call) override {
    if (call.kind != SpanKind::kSyscall || call.duration() <= 0) return;
    intervals.push_back(
        {.begin = call.begin, .end = call.end, .pid = call.pid, .thread = call.thread});
  }

  std::vector<Span> spans;
  std::vector<Interval> intervals;
};

struct Times {
  Ns executing = 0;
  Ns ready = 0;
  Ns blocked = 0;
  Ns unknown = 0;
  bool operator==(const Times&) const = default;
};

Times times_of_spans(const std::vector<Span>& spans, const Interval& interval) {
  Times times{.unknown = interval.duration()};
  for (const Span& span : spans) {
    if (span.thread != interval.thread) continue;
    const Ns begin = std::max(span.start, interval.begin);
    const Ns inside = std::min(span.start + span.duration, interval.end) - begin;
    if (inside <= 0) continue;
    times.unknown -= inside;
    if (is_execution(span.kind)) {
      times.executing += inside;
    } else {
      (span.event == ev::kWAIT_FIRST + ('c' - 'a') ? times.ready : times.blocked) += inside;
    }
  }
  // Who had the CPU meanwhile may not be known: that is no proof here.
  times.ready += times.unknown;
  times.unknown = 0;
  return times;
}

Times times_of_path(const std::vector<PathPiece>& path) {
  Times times;
  for (const PathPiece& piece : path) {
    const CauseKind kind = piece.cause.kind;
    if (piece.cause.waited != 0) {
      times.blocked += piece.duration();
    } else {
      (kind <= CauseKind::kSoftirq ? times.executing : times.ready) += piece.duration();
    }
  }
  return times;
}

bool tiles(const std::vector<PathPiece>& path, const Interval& interval) {
  Ns until = interval.end;
  for (const PathPiece& piece : path) {
    if (piece.end != until || piece.begin >= piece.end) return false;
    until = piece.begin;
  }
  return until == interval.begin;
}

// Intervals that nothing but chance cuts out of threads' lives, or out of the time around them.
void add_random(std::vector<Interval>& intervals, const std::vector<Span>& spans, Ns end,
                std::mt19937_64& random) {
  if (spans.empty() || end <= 1) return;
  for (int i = 0; i < 100; ++i) {
    const Span& span = spans[random() % spans.size()];
    const Ns begin = static_cast<Ns>(random() % static_cast<std::uint64_t>(end));
    const Ns length = 1 + static_cast<Ns>(random() % static_cast<std::uint64_t>(end));
    intervals.push_back(
        {.begin = begin, .end = begin + length, .pid = span.pid, .thread = span.thread});
  }
}

std::vector<PathPiece> path_of(reports::CriticalPath& path, const Interval& interval) {
  std::vector<PathPiece> pieces;
  path.walk(interval, [&](const PathPiece& piece) { pieces.push_back(piece); });
  return pieces;
}

struct Rebuilt {
  Kept kept;
  NameTable names;
  reports::Happenings happenings{{{-1, Ns{1} << 62}}, names};
  Ns end = 0;
};

bool rebuild(std::vector<std::byte> bytes, Rebuilt& out) {
  auto file = RawFile::open(MappedFile::from_bytes(std::move(bytes), "generated"));
  if (!file) return false;
  BothSinks both(out.kept, out.happenings);
  const auto info = spans::rebuild(*file, out.names, both);
  if (info) out.end = info->end;
  return info.has_value();
}

struct Proved {
  std::size_t intervals = 0;
  std::size_t followed = 0;         // that lead to another thread
  std::size_t across_machines = 0;  // to one of another machine
};

void prove(std::vector<std::byte> bytes, std::uint64_t seed, Proved& proved) {
  Rebuilt rebuilt;
  REQUIRE(rebuild(std::move(bytes), rebuilt));
  const reports::Happenings& happenings = rebuilt.happenings;
  std::mt19937_64 random(seed);
  std::vector<Interval> intervals = rebuilt.kept.intervals;
  std::ranges::shuffle(intervals, random);
  intervals.resize(std::min<std::size_t>(intervals.size(), 100));
  add_random(intervals, rebuilt.kept.spans, rebuilt.end, random);
  reports::CriticalPath path(rebuilt.happenings);
  for (const Interval& interval : intervals) {
    const std::vector<PathPiece> pieces = path_of(path, interval);
    CAPTURE(seed, interval.begin, interval.end, interval.pid);
    REQUIRE(tiles(pieces, interval));
    REQUIRE(times_of_path(pieces) == times_of_spans(rebuilt.kept.spans, interval));
    const reports::ThreadRow own = rebuilt.happenings.row_of(interval.pid, interval.thread);
    const auto any = [&](auto&& of) { return std::ranges::any_of(pieces, of); };
    proved.followed += any([&](const PathPiece& piece) { return piece.cause.thread != own; });
    proved.across_machines += any([&](const PathPiece& piece) {
      const reports::ThreadRow row = piece.cause.thread;
      return row != reports::kNoRow &&
             machine_of_thread(happenings.pid_of(row)) != machine_of_thread(interval.pid);
    });
    ++proved.intervals;
  }
}

TEST_CASE("the causes of an interval are disjoint and add up to it, and are what the thread did") {
  Proved proved;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    prove(generate_truth(random_options(seed)).file, seed, proved);
  }
  CHECK(proved.intervals > 100 * kSeeds);
  CHECK(proved.followed > kSeeds);
  CHECK(proved.across_machines == 0);
}

TEST_CASE("causes on another machine add up with those on the thread's own") {
  Proved proved;
  for (std::uint64_t seed = 1; seed <= kSeeds / 4; ++seed) {
    auto bytes = talking_machines(seed);
    REQUIRE(bytes);
    prove(std::move(*bytes), seed, proved);
  }
  CHECK(proved.across_machines > kSeeds / 4);
}

// What a comparison tells that looks at the stream in batches of so many spans.
std::vector<std::array<Ns, 2>> compared(const RawFile& file, const std::vector<Interval>& slow,
                                        const std::vector<Interval>& others, std::size_t batch) {
  NameTable names;
  reports::ComparisonSink sink(slow, others, names, batch);
  REQUIRE(spans::rebuild(file, names, sink));
  const reports::Comparison comparison = sink.comparison();
  std::vector<std::array<Ns, 2>> times;
  Ns of_slow = 0;
  Ns of_others = 0;
  for (const reports::ComparedCause& cause : comparison.causes) {
    times.push_back({cause.slow, cause.others});
    of_slow += cause.slow;
    of_others += cause.others;
  }
  REQUIRE(of_slow == comparison.slow_time);
  REQUIRE(of_others == comparison.others_time);
  return times;
}

TEST_CASE("slow intervals are told as they come as if all had been kept") {
  std::size_t proved = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Rebuilt rebuilt;
    const std::vector<std::byte> bytes = generate_truth(random_options(seed)).file;
    REQUIRE(rebuild(bytes, rebuilt));
    std::vector<Interval> slow = rebuilt.kept.intervals;
    std::ranges::sort(slow, reports::is_slower);
    const auto half = slow.begin() + static_cast<std::ptrdiff_t>(slow.size() / 2);
    const std::vector<Interval> others(half, slow.end());
    slow.erase(half, slow.end());
    const auto file = RawFile::open(MappedFile::from_bytes(bytes, "generated"));
    CAPTURE(seed);
    const auto kept = compared(*file, slow, others, std::size_t{1} << 40);
    REQUIRE(compared(*file, slow, others, std::size_t{1} << seed % 10) == kept);
    proved += kept.size();
  }
  CHECK(proved > kSeeds);
}

// Of waits for one reason, or for any, in a window.
Ns waited(const std::vector<Span>& spans, const TimeWindow& window, char letter) {
  Ns sum = 0;
  for (const Span& span : spans) {
    if (span.kind != SpanKind::kWait) continue;
    if (letter != 0 && span.event != ev::kWAIT_FIRST + static_cast<EventNum>(letter - 'a'))
      continue;
    const Ns end = std::min(span.start + span.duration, window.end);
    sum += std::max<Ns>(0, end - std::max(span.start, window.begin));
  }
  return sum;
}

using Blamed = std::map<std::string, std::array<Ns, 3>>;  // by cause: waits, total, longest

void add_blamed(Blamed& blamed, const reports::BlameRow& row, const reports::Happenings& all) {
  const auto named = [&](reports::ThreadRow thread) {
    return thread == reports::kNoRow ? -2 : static_cast<Ns>(all.name_of(thread));
  };
  const reports::Cause& cause = row.cause;
  std::array<Ns, 3>& sums =
      blamed[fmt::format("{} {} {} {} {} {} {}", row.letter, reports::cause_name(cause.kind),
                         cause.waited, named(cause.thread), named(cause.other),
                         static_cast<Ns>(cause.name), static_cast<Ns>(cause.waker))];
  sums[0] += static_cast<Ns>(row.waits);
  sums[1] += row.total;
  sums[2] = std::max(sums[2], row.longest);
}

// Every wait walked by itself, with all of the window at hand.
Blamed walked(reports::Happenings& all, const TimeWindow& window, std::size_t most_wakers,
              char letter) {
  reports::CriticalPath path(all, most_wakers);
  reports::NameRows names(all);
  Blamed blamed;
  for (const reports::Piece& wait : all.pieces()) {
    if (wait.kind != SpanKind::kWait || (letter != 0 && wait.letter != letter)) continue;
    const Interval part{.begin = std::max(wait.begin, window.begin),
                        .end = std::min(wait.end, window.end),
                        .pid = all.pid_of(wait.row),
                        .thread = all.thread_of(wait.row)};
    if (part.begin >= part.end) continue;
    std::map<reports::Cause, Ns> times;
    for (const PathPiece& piece : path_of(path, part)) {
      times[names.general(piece.cause, wait.row)] += piece.duration();
    }
    for (const auto& [cause, time] : times) {
      add_blamed(blamed, {wait.letter, reports::kNoRow, cause, 1, time, time}, all);
    }
  }
  return blamed;
}

struct ProvedWaits {
  Ns time = 0;
  unsigned again = 0;  // that took more than one look at the stream
};

// What waits went to is what walks tell, and adds up, in all of the trace and a part of it.
void prove_waits(const std::vector<std::byte>& bytes, std::uint64_t seed, std::size_t batch,
                 ProvedWaits& proved) {
  Rebuilt rebuilt;
  REQUIRE(rebuild(bytes, rebuilt));
  const auto file = RawFile::open(MappedFile::from_bytes(bytes, "generated"));
  const TimeWindow part{rebuilt.end / 3, rebuilt.end / 2 + 1};
  for (const TimeWindow& window : {TimeWindow{-1, rebuilt.end + 1}, part}) {
    NameTable names;
    reports::Happenings all({window}, names);
    REQUIRE(spans::rebuild(*file, names, all));
    for (const std::size_t most_wakers : {std::size_t{0}, reports::CriticalPath::kMostWakers}) {
      for (const char letter : {'\0', 'c', 't', 'z'}) {
        CAPTURE(seed, window.begin, window.end, most_wakers, letter);
        reports::BlameSink sink(
            {window}, names,
            [&](const reports::Piece& wait, const reports::Happenings&) {
              return letter == 0 || wait.letter == letter;
            },
            most_wakers, batch, seed % 3 == 0 ? reports::BlameSink::kAtLeast : 0);
        if (seed % 2 == 0) sink.tell_waiters(reports::BlameSink::Waiters::kByName);
        REQUIRE(spans::rebuild(*file, names, sink));
        if (sink.wants_again()) ++proved.again;
        while (sink.wants_again()) REQUIRE(spans::rebuild(*file, names, sink));
        Ns sum = 0;
        Blamed blamed;
        for (const reports::BlameRow& row : sink.blame().rows) {
          sum += row.total;
          add_blamed(blamed, row, sink.happenings());
        }
        REQUIRE(blamed == walked(all, window, most_wakers, letter));
        REQUIRE(sum == waited(rebuilt.kept.spans, window, letter));
        proved.time += sum;
      }
    }
  }
}

TEST_CASE("what waits went to is what walks tell, and adds up, batch by batch") {
  ProvedWaits proved;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
    prove_waits(generate_truth(random_options(seed)).file, seed, std::size_t{1} << seed % 12,
                proved);
  CHECK(proved.time > 0);
  CHECK(proved.again > 0);
}

TEST_CASE("what waits went to is what walks tell where hundreds of threads run in turn") {
  ProvedWaits proved;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    TruthOptions options = random_options(seed);
    options.cpus = 1 + static_cast<unsigned>(seed % 3);
    options.threads = 400;
    options.steps = 20'000;
    prove_waits(generate_truth(options).file, seed, std::size_t{1} << (10 + 3 * seed % 7), proved);
  }
  CHECK(proved.time > 0);
}

// When each call of a thread returned.
class Returns : public SpanSink {
 public:
  explicit Returns(const NameTable& names) : names_(names) {}
  void push(const Span&) override {}
  void call(const Call& call) override {
    if (call.kind == SpanKind::kSyscall && !reports::is_birth(call, names_))
      syscalls[call.thread].push_back(call.end);
    if (call.kind == SpanKind::kTrap) faults[call.thread].push_back(call.end);
  }
  static std::uint64_t within(const std::vector<Ns>& times, const Interval& interval) {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        times, [&](Ns at) { return interval.begin < at && at <= interval.end; }));
  }

  std::map<ThreadId, std::vector<Ns>> syscalls;
  std::map<ThreadId, std::vector<Ns>> faults;

 private:
  const NameTable& names_;
};

void require_same(const reports::RequestSums& a, const reports::RequestSums& b) {
  REQUIRE(a.durations.count() == b.durations.count());
  REQUIRE(a.took == b.took);
  REQUIRE(a.user == b.user);
  REQUIRE(a.kernel == b.kernel);
  REQUIRE(a.interrupts == b.interrupts);
  REQUIRE(a.waits == b.waits);
  REQUIRE(a.syscalls == b.syscalls);
  REQUIRE(a.faults == b.faults);
}

// The sums of each interval are what its thread's spans and its path say, and rows are their sums.
std::size_t proved_sums(const RawFile& file, Rebuilt& rebuilt, std::vector<Interval> asked) {
  NameTable names;
  reports::RequestTimes times(names, std::move(asked));
  Returns returns(names);
  BothSinks both(times, returns);
  const auto info = spans::rebuild(file, names, both);
  REQUIRE(info);
  reports::CriticalPath path(rebuilt.happenings);
  reports::RequestSums all;
  for (std::size_t i = 0; i < times.requests().size(); ++i) {
    const Interval& interval = times.requests()[i];
    CAPTURE(interval.begin, interval.end, interval.pid);
    const reports::RequestSums sums = times.sums(i);
    // Both count as ready what the trace does not tell.
    const Times own{.executing = sums.executing(),
                    .ready = reports::wait_of(sums.waits, reports::kReady) + sums.unknown(),
                    .blocked = sums.blocked()};
    REQUIRE(own == times_of_spans(rebuilt.kept.spans, interval));
    REQUIRE(own == times_of_path(path_of(path, interval)));
    REQUIRE(sums.syscalls == Returns::within(returns.syscalls[interval.thread], interval));
    REQUIRE(sums.faults == Returns::within(returns.faults[interval.thread], interval));
    all.add(sums);
  }
  require_same(times.all(), all);
  for (const auto by : {reports::StatBy::kThread, reports::StatBy::kProcess,
                        reports::StatBy::kProgram, reports::StatBy::kCgroup}) {
    reports::RequestSums sum;
    for (const reports::RequestRow& row : times.rows(by, *info)) sum.add(row.sums);
    require_same(sum, all);
  }
  return times.requests().size();
}

// Requests from any call to any, to the next, and whatever chance cuts out of threads' lives, which
// overlap.
TEST_CASE("what requests are made of adds up to them, and is what why and syscalls say") {
  std::size_t proved = 0;
  std::uint64_t calls = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CAPTURE(seed);
    Rebuilt rebuilt;
    const std::vector<std::byte> bytes = generate_truth(random_options(seed)).file;
    REQUIRE(rebuild(bytes, rebuilt));
    const auto file = RawFile::open(MappedFile::from_bytes(bytes, "generated"));
    for (const char* until : {"*", "next"}) {
      NameTable names;
      std::vector<Interval> found;
      reports::Requests requests;
      reports::IntervalFinder finder(
          {.asked = reports::Asked::kRequest, .name = "*", .until = until}, names,
          [&](const Interval& interval) {
            found.push_back(interval);
            requests.add(interval);
          });
      REQUIRE(spans::rebuild(*file, names, finder));
      requests.finish();
      reports::Syscalls within(names, reports::SyscallsBy::kAll, 0,
                               [&](const Call& call) { return requests.has(call); });
      reports::RequestTimes times(names, found);
      BothSinks both(within, times);
      REQUIRE(spans::rebuild(*file, names, both));
      const reports::RequestSums all = times.all();
      REQUIRE(all.took == requests.total());
      REQUIRE(all.durations.count() == requests.durations().count());
      const std::uint64_t told = within.groups().empty() ? 0 : within.groups()[0].all.calls;
      CAPTURE(until);
      REQUIRE(all.syscalls == told);  // these requests do not overlap
      calls += told;
      proved += proved_sums(*file, rebuilt, std::move(found));
    }
    std::mt19937_64 random(seed);
    std::vector<Interval> overlapping;
    add_random(overlapping, rebuilt.kept.spans, rebuilt.end, random);
    proved += proved_sums(*file, rebuilt, std::move(overlapping));
  }
  CHECK(proved > 200 * kSeeds);
  CHECK(calls > 20 * kSeeds);
}

TEST_CASE("the causes of an interval of a damaged trace add up to it") {
  std::size_t proved = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::byte> bytes = generate_truth(random_options(seed)).file;
    for (int i = 0; i < 200; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    Rebuilt rebuilt;
    if (!rebuild(bytes, rebuilt)) continue;
    std::vector<Interval> intervals = rebuilt.kept.intervals;
    add_random(intervals, rebuilt.kept.spans, rebuilt.end, random);
    reports::CriticalPath path(rebuilt.happenings);
    for (const Interval& interval : intervals) {
      CAPTURE(seed, interval.begin, interval.end, interval.pid);
      REQUIRE(tiles(path_of(path, interval), interval));
      ++proved;
    }
  }
  CHECK(proved > kSeeds);
}

}  // namespace
}  // namespace kutrace::test
