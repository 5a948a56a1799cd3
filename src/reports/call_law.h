// SPDX-License-Identifier: BSD-3-Clause
// The law of calls: every call ends; its pieces, its waits and what it called lie inside it and add
// up, with what is declared as unknown, to its duration. In: spans and calls; out: violations, as
// sentences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/chunked.h"
#include "model/call.h"
#include "reports/violations.h"

namespace kutrace::reports {

// What is known of calls that have not ended, by their slots.
class CallSums {
 public:
  struct Sums {
    CallId id = CallId::kNone;
    std::uint32_t pieces = 0;
    Ns own = 0;
    Ns called = 0;   // on a CPU in what it called
    Ns blocked = 0;  // there and in itself
    // What all of these reach over.
    Ns first = std::numeric_limits<Ns>::max();
    Ns last = std::numeric_limits<Ns>::min();

    void reach(Ns begin, Ns end) {
      first = std::min(first, begin);
      last = std::max(last, end);
    }
  };

  // Valid until the next call of this.
  Sums& at(CallId id, std::uint32_t slot) {
    Sums& sums = sums_.grown(slot);
    if (sums.id != id) begin(sums, id);
    return sums;
  }
  // Those that never ended.
  std::uint64_t open() const;

 private:
  void begin(Sums& sums, CallId id) {
    replaced_ += sums.id != CallId::kNone ? 1 : 0;
    sums = {};
    sums.id = id;
  }

  Chunked<Sums> sums_;
  std::uint64_t replaced_ = 0;  // others began in their slots
};

class CallLaw {
 public:
  void piece(const Span& span) {
    CallSums::Sums& sums = open_.at(span.call, span.call_slot);
    sums.own += span.duration;
    ++sums.pieces;
    sums.reach(span.start, span.start + span.duration);
  }
  void wait(const Span& span) {
    CallSums::Sums& sums = open_.at(span.call, span.call_slot);
    sums.blocked += span.duration;
    sums.reach(span.start, span.start + span.duration);
  }
  void call(const Call& call, Violations& violations);
  // Only counts it.
  void count(const Call& call);
  void finish(Violations& violations) const;

  std::uint64_t count() const { return count_; }
  std::uint64_t inferred() const { return inferred_; }  // of which begin or end was not seen
  Ns total() const { return total_; }
  Ns unknown() const { return unknown_; }

 private:
  static void does_not_add_up(const CallSums::Sums& sums, const Call& call, Violations& violations);
  static void reaches_out(const CallSums::Sums& sums, const Call& call, Violations& violations);

  CallSums open_;
  std::uint64_t count_ = 0;
  std::uint64_t inferred_ = 0;
  Ns total_ = 0;
  Ns unknown_ = 0;
};

}  // namespace kutrace::reports
