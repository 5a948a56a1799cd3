// SPDX-License-Identifier: BSD-3-Clause
// The law of threads: from a thread's first to its last moment, executing and waiting do not
// overlap, and add up, with what is declared as unknown, to its life; and of two threads that have
// one number, one ends before the other begins. Spans and lives enter; violations leave, as
// sentences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "model/call.h"
#include "reports/violations.h"

namespace kutrace::reports {

class ThreadLaw {
 public:
  struct Sums {
    Ns executing = 0;
    Ns waiting = 0;
    Ns first = std::numeric_limits<Ns>::max();
    Ns until = std::numeric_limits<Ns>::min();
    Ns overlap = 0;

    bool any() const { return first <= until; }
    void reach(const Span& span) {
      if (span.start < until) overlap += until - span.start;
      first = std::min(first, span.start);
      until = std::max(until, span.start + span.duration);
    }
  };

  Sums& of(ThreadId id) {
    const auto place = static_cast<std::size_t>(id);
    if (place >= threads_.size()) threads_.resize(place + 1);
    return threads_[place];
  }
  void life(const ThreadLife& life, Violations& violations);
  void finish(Violations& violations) const;

  std::uint64_t count() const { return count_; }
  Ns total() const { return total_; }
  Ns unknown() const { return unknown_; }

 private:
  std::vector<Sums> threads_;                  // by id
  std::unordered_map<Pid, Ns> number_in_use_;  // until then, by those whose lives are over
  std::uint64_t count_ = 0;
  Ns total_ = 0;
  Ns unknown_ = 0;
};

}  // namespace kutrace::reports
