// SPDX-License-Identifier: BSD-3-Clause
// A thread that moves between control groups falls into pieces that add up to it.
#include "filters/split_at_moves.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "format/facts.h"

namespace kutrace::test {
namespace {

constexpr Ns kMs = 1'000'000;

class Kept : public SpanSink {
 public:
  void push(const Span& span) override { spans.push_back(span); }
  void call(const Call& call) override { calls.push_back(call); }
  void life(const ThreadLife& life) override { lives.push_back(life); }
  std::vector<Span> spans;
  std::vector<Call> calls;
  std::vector<ThreadLife> lives;
};

ThreadLife life_of(std::uint32_t thread, Pid pid, Ns begin, Ns end, Ns executing, Ns waiting) {
  ThreadLife life;
  life.thread = ThreadId{thread};
  life.pid = pid;
  life.process = 10;
  life.begin = begin;
  life.end = end;
  life.executing = executing;
  life.waiting = waiting;
  return life;
}

Span span_of(SpanKind kind, std::uint32_t thread, Ns start, Ns duration) {
  Span span{};
  span.kind = kind;
  span.thread = ThreadId{thread};
  span.start = start;
  span.duration = duration;
  return span;
}

Facts moves() {
  Facts facts;
  facts.add(fact::kCgroups, true);
  facts.add(fact::kCgroupMoves, true);
  for (const char* told : {"10 0 /a", "10 30000000 /b", "10 60000000 /a"})
    facts.add(fact::kCgroup, std::string(told));
  return facts;
}

TEST_CASE("time is cut at moves, moments and calls are of the piece they begin in") {
  // The second thread begins between the moves, and gets the first one's number (exec).
  const std::vector<ThreadLife> lives = {life_of(1, 10, 0, 50 * kMs, 40 * kMs, 10 * kMs),
                                         life_of(2, 11, 40 * kMs, 55 * kMs, 15 * kMs, 0),
                                         life_of(2, 10, 55 * kMs, 90 * kMs, 35 * kMs, 0)};
  const filters::GroupPieces pieces(lives, moves());
  REQUIRE(pieces.of(ThreadId{1}).size() == 2);
  REQUIRE(pieces.of(ThreadId{2}).size() == 2);
  CHECK(pieces.of(ThreadId{2}).front().path == "/b");
  Kept kept;
  filters::SplitAtMoves split(pieces, kept);
  split.push(span_of(SpanKind::kUser, 1, 0, 40 * kMs));
  split.push(span_of(SpanKind::kWait, 1, 40 * kMs, 10 * kMs));
  split.push(span_of(SpanKind::kPoint, 1, 30 * kMs, 0));
  split.push(span_of(SpanKind::kUser, 2, 40 * kMs, 20 * kMs));
  split.push(span_of(SpanKind::kUser, 2, 60 * kMs, 30 * kMs));
  split.push(span_of(SpanKind::kUser, 3, 0, 90 * kMs));
  const ThreadId first = pieces.of(ThreadId{1}).back().thread;
  const ThreadId second = pieces.of(ThreadId{2}).back().thread;
  struct Piece {
    ThreadId thread;
    Ns start;
    Ns duration;
    bool operator==(const Piece&) const = default;
  };
  std::vector<Piece> found;
  for (const Span& span : kept.spans) found.push_back({span.thread, span.start, span.duration});
  CHECK(found == std::vector<Piece>{{ThreadId{1}, 0, 30 * kMs},
                                    {first, 30 * kMs, 10 * kMs},
                                    {first, 40 * kMs, 10 * kMs},
                                    {first, 30 * kMs, 0},
                                    {ThreadId{2}, 40 * kMs, 20 * kMs},
                                    {second, 60 * kMs, 30 * kMs},
                                    {ThreadId{3}, 0, 90 * kMs}});
  Call call{};
  call.thread = ThreadId{1};
  call.begin = 29 * kMs;
  call.end = 31 * kMs;
  split.call(call);
  call.begin = 30 * kMs;
  split.call(call);
  CHECK(kept.calls.front().thread == ThreadId{1});
  CHECK(kept.calls.back().thread == first);
  for (const ThreadLife& life : lives) split.life(life);
  REQUIRE(kept.lives.size() == 5);
  CHECK(kept.lives[0].end == 30 * kMs);
  CHECK(kept.lives[0].executing == 30 * kMs);
  CHECK(kept.lives[1].begin == 30 * kMs);
  CHECK(kept.lives[1].end == 50 * kMs);
  CHECK(kept.lives[1].executing == 10 * kMs);
  CHECK(kept.lives[1].waiting == 10 * kMs);
  CHECK(kept.lives[2].pid == 11);
  CHECK(kept.lives[2].end == 55 * kMs);
  CHECK(kept.lives[3].thread == ThreadId{2});
  CHECK(kept.lives[3].end == 60 * kMs);
  CHECK(kept.lives[3].executing == 5 * kMs);
  CHECK(kept.lives[4].thread == second);
  CHECK(kept.lives[4].begin == 60 * kMs);
  CHECK(kept.lives[4].end == 90 * kMs);
  Ns all = 0;
  for (const ThreadLife& life : kept.lives) all += life.executing;
  CHECK(all == 90 * kMs);
}

}  // namespace
}  // namespace kutrace::test
