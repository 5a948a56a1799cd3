// SPDX-License-Identifier: BSD-3-Clause
// What waiting time went to. In: a stream of spans, and which waits count; out: sums by the reason
// of the wait and its cause: who ran while a thread was ready, who or what ended the wait of a
// blocked one. They add up to the waiting time, exactly.
//
// A wait is told as soon as all that it depends on has come, and what no wait depends on any more
// is forgotten, so memory is bounded by what happens during the longest wait for a CPU, or while a
// CPU does one thing, and kBatch. What is only known later, the last name of a thread that had been
// to blame by then, or a wait that began before what is kept, needs a second look at the stream. It
// forgets when the first one did, except for what those waits need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/recent_index.h"
#include "base/time_window.h"
#include "reports/critical_path.h"
#include "reports/name_rows.h"
#include "reports/ready_times.h"

namespace kutrace::reports {

struct BlameRow {
  char letter = 0;            // of the wait (WAIT table)
  ThreadRow waiter = kNoRow;  // who waited, if asked for
  Cause cause;                // threads stand for all of their names
  std::uint64_t waits = 0;
  Ns total = 0;
  Ns longest = 0;
};

struct Blame {
  std::uint64_t waits = 0;
  Ns total = 0;
  std::vector<BlameRow> rows;  // most time first
};

// The same with one row for all waiters of which `name` says the same, with that cause; one of them
// stands for all.
Blame joined(const Blame& blame, const std::function<std::string(ThreadRow)>& name);

class BlameSink : public SpanSink {
 public:
  using Wanted = std::function<bool(const Piece& wait, const Happenings&)>;
  enum class Waiters : std::uint8_t { kTogether, kByName, kEach };
  static constexpr std::size_t kBatch = 1024 * 1024;  // pieces
  // How long what happened is kept at least: a wait needs that much, and comes behind what ended
  // it.
  static constexpr Ns kAtLeast = 2 * CriticalPath::kLooksBack;

  // Of a wait that reaches out of the windows, which are tidy, what lies in them counts.
  // `texts`: as of Happenings. `most_wakers`: as of CriticalPath; with some, as of several
  // machines, all is kept to the end.
  BlameSink(std::vector<TimeWindow> windows, const NameTable& texts, Wanted wanted,
            std::size_t most_wakers, std::size_t batch = kBatch, Ns at_least = kAtLeast);
  // A row for each name of those who waited, or for each of them. Comes before the stream.
  void tell_waiters(Waiters waiters) { waiters_told_ = waiters; }

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  void life(const ThreadLife& life) override { happenings_->life(life); }
  void end(TraceInfo& info) override;

  // After the end. Whether the same stream must come once more; then there is nothing else yet.
  bool wants_again() const { return again_; }
  Blame blame() const;
  // Its rows are those of the causes.
  const Happenings& happenings() const { return *happenings_; }

 private:
  using Key = std::tuple<char, ThreadRow, Cause>;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  // From when to when a wait needs what happened.
  using Needed = std::pair<Ns, Ns>;
  struct Forgetting {
    std::size_t came = 0;  // at so many pieces
    Ns time = 0;
  };

  static Needed needed(const Piece& wait);
  void ask(const Piece& wait);
  bool is_time_to_forget();
  void tell(const std::function<bool(const Piece&)>& can);
  bool can_tell(const Piece& wait) const;
  void forget();
  void add(const Piece& wait, CriticalPath& path);
  void walk(const Piece& wait, Ns from, Ns to, CriticalPath& path);
  ThreadRow waiter_of(const Piece& wait);
  void take(ThreadRow waiter);
  void put(char letter, ThreadRow waiter, const ReadyTimes::Sum& sum);

  std::vector<TimeWindow> windows_;
  const NameTable& texts_;
  Wanted wanted_;
  std::size_t most_wakers_;
  std::size_t batch_;
  Ns at_least_;
  std::size_t next_;  // tells what it can at so many pieces
  std::optional<Happenings> happenings_;
  std::optional<NameRows> names_;
  std::optional<ReadyTimes> ready_;
  std::vector<Piece> open_;       // waits that are not told
  std::size_t came_ = 0;          // pieces
  Ns newest_ = 0;                 // begin of what came last
  Ns forgotten_ = -kForever;      // all that ended from it on is there
  std::vector<Forgetting> plan_;  // of the first look, which the others follow
  std::size_t planned_ = 0;       // so many of them lie behind
  std::multiset<Needed> late_;    // of waits that come when that is gone, in all looks
  std::multiset<Needed> kept_;    // the same, of those that come yet
  RecentIndex<Key, Hash, 256> places_;
  std::vector<BlameRow> sums_;  // by their numbers in places_
  Waiters waiters_told_ = Waiters::kTogether;
  std::uint64_t waits_ = 0;
  Ns total_ = 0;
  bool again_ = false;
  bool follows_ = false;  // the plan of the first look
};

}  // namespace kutrace::reports
