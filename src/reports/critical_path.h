// SPDX-License-Identifier: BSD-3-Clause
// Why an interval of a thread took as long as it did: the path that led to its end, walked
// backwards through those who woke it. In: what happened, an interval; out: pieces, latest first,
// each with its cause. They are disjoint and add up to the interval, exactly: the law of latency.
//
// While the thread executes, that is the cause. While it is ready, it is who had the CPU that it
// waited for: the one that it was taken off, until that one idles; else the one that it ran on
// next, as a trace does not tell when a thread changes queues. While it is blocked, it is what its
// waker did from then on, the waker's own waits included; an interrupt is the end of the way,
// unless a softirq received a message that a thread of another machine in the trace sent meanwhile:
// then it is the network since that was sent, and what the sender did before. What cannot be told
// is a cause of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "reports/cause.h"
#include "reports/interval.h"

namespace kutrace::reports {

struct PathPiece {
  Ns begin = 0;
  Ns end = 0;
  CpuId cpu = kNoCpu;  // where it happened; kNoCpu: nowhere
  Cause cause;

  Ns duration() const { return end - begin; }
};

class CriticalPath {
 public:
  using Sink = std::function<void(const PathPiece&)>;
  // Of a chain of wakers, each of which had waited for the next.
  static constexpr std::size_t kMostWakers = 64;
  // How long before a time what happened is looked at: interrupts can have begun then that follow
  // each other up to a wakeup.
  static constexpr Ns kLooksBack = 100'000'000;

  // `most_wakers`: at the last one the way ends, and its name is the cause.
  explicit CriticalPath(Happenings& happenings, std::size_t most_wakers = kMostWakers)
      : happenings_(happenings), most_wakers_(most_wakers) {}

  void walk(const Interval& interval, const Sink& sink);

 private:
  // A thread whose doings are followed back to `floor`: where the wait began that it ended.
  struct Waited {
    char letter = 0;  // 0: it does not wait
    bool of_lock = false;
  };
  struct Followed {
    ThreadRow row = kNoRow;
    Ns floor = 0;
  };
  // A thread of another machine did that as it sent a packet.
  struct Sender {
    const Piece* piece = nullptr;  // null: nobody's that is known
    Ns time = 0;
  };

  void step();
  void executed(const Piece& piece, Ns from);
  void unknown(Ns from, ThreadRow row);
  const Piece* in_front_of(CpuId left, CpuId next, Ns& from) const;
  void was_ready(const Piece& wait, Ns from);
  void was_blocked(const Piece& wait, Ns from);
  void was_woken_by(const Piece& wait, const Wakeup& wakeup, Ns from);
  void blocked_for(CauseKind kind, const Piece& wait, Ns from, ThreadRow waker, NameId routine);
  void follow(const Piece& wait, const Piece& source, Ns from);
  const Piece* born_of(const Piece& softirq) const;
  const Piece* first_of_interrupts(const Piece& interrupt) const;
  Sender sender(const Piece& wait, const Packet& got, Ns from) const;
  Sender only_sender(const Piece& wait, std::span<const Packet> got, Ns from) const;
  void put(Ns from, CpuId cpu, Cause cause);
  void flush();

  Happenings& happenings_;
  std::size_t most_wakers_;
  const Sink* sink_ = nullptr;
  std::vector<Followed> followed_;  // the interval's thread first
  Waited waited_;                   // its wait, while others are followed
  Ns now_ = 0;                      // all after it is told
  PathPiece open_;                  // grows while the cause stays the same
};

}  // namespace kutrace::reports
