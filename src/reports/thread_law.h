// SPDX-License-Identifier: BSD-3-Clause
// The law of threads: from a thread's first to its last moment, executing and waiting do not
// overlap, and add up, with what is declared as unknown, to its life; and of two threads that have
// one number, one ends before the other begins. In: spans and lives; out: violations, as sentences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "base/by_number.h"
#include "base/chunked.h"
#include "base/prefetch.h"
#include "model/call.h"
#include "reports/violations.h"

namespace kutrace::reports {

class ThreadLaw {
 public:
  // Spans of a thread come in the order of their times.
  void executes(const Span& span) {
    Sums& sums = of(span.thread);
    sums.executing += span.duration;
    follow(sums, span);
  }
  void waits(const Span& span) {
    Sums& sums = of(span.thread);
    sums.waiting += span.duration;
    follow(sums, span);
  }
  // The next spans of the thread come soon.
  void expect(ThreadId id) const {
    const auto at = static_cast<std::size_t>(id);
    if (at < threads_.size()) prefetch(&threads_[at]);
  }
  void life(const ThreadLife& life, Violations& violations);
  void finish(Violations& violations) const;

  std::uint64_t count() const { return count_; }
  Ns total() const { return total_; }
  Ns unknown() const { return unknown_; }

 private:
  struct Sums {
    Ns executing = 0;
    Ns waiting = 0;
    Ns first = std::numeric_limits<Ns>::max();
    Ns until = std::numeric_limits<Ns>::min();

    bool any() const { return first <= until; }
  };
  struct Until {
    Ns time = std::numeric_limits<Ns>::min();
  };

  // Ids are dense.
  Sums& of(ThreadId id) {
    if (last_ == nullptr || id != last_id_) {
      last_ = &threads_.grown(static_cast<std::size_t>(id));
      last_id_ = id;
    }
    return *last_;
  }
  void follow(Sums& sums, const Span& span) {
    const Ns end = span.start + span.duration;
    if (span.start < sums.until || end < span.start) [[unlikely]] {
      return overlap(sums, span);
    }
    if (!sums.any()) sums.first = span.start;
    sums.until = end;
  }
  void overlap(Sums& sums, const Span& span);

  Chunked<Sums> threads_;  // by id
  Sums* last_ = nullptr;   // that was asked for, and whose they are
  ThreadId last_id_ = ThreadId::kNone;
  std::map<ThreadId, Ns> overlaps_;
  ByNumber<Until> number_in_use_;  // until then, by those whose lives are over
  std::uint64_t count_ = 0;
  Ns total_ = 0;
  Ns unknown_ = 0;
};

}  // namespace kutrace::reports
