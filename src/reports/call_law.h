// SPDX-License-Identifier: BSD-3-Clause
// The law of calls: every call ends; its pieces, its waits and what it called lie inside it and add
// up, with what is declared as unknown, to its duration. Spans and calls enter; violations leave,
// as sentences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/call.h"
#include "reports/violations.h"

namespace kutrace::reports {

// What is known of calls that have not ended, by id. Most calls end before another is heard of, so
// the newest stands by itself; a hash table with open addressing says where the others stand.
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

  // Valid until the next call of any of these.
  Sums& at(CallId id) {
    if (newest_.id == id) return newest_;
    return id > last_ ? begin(id) : among_others(id);
  }
  void erase(CallId id) {
    if (newest_.id == id) {
      newest_ = {};
    } else {
      erase_other(id);
    }
  }
  std::size_t open() const { return others_ + (newest_.id != CallId::kNone ? 1 : 0); }

 private:
  struct Slot {
    CallId id = CallId::kNone;
    std::uint32_t place = 0;  // in sums_
  };

  Sums& begin(CallId id);
  Sums& among_others(CallId id);
  Sums& add_other(Slot& slot, CallId id);
  void erase_other(CallId id);
  void grow();
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home(CallId id) const {
    return (static_cast<std::size_t>(id) * 0x9e37'79b9'7f4a'7c15) >> shift_;
  }
  // Where the call stands, or would stand.
  std::size_t slot_of(CallId id) const {
    const Slot* const slots = slots_.data();
    std::size_t at = home(id);
    while (slots[at].id != id && slots[at].id != CallId::kNone) at = (at + 1) & mask();
    return at;
  }

  Sums newest_;
  CallId last_ = CallId::kNone;                       // the highest id so far
  std::vector<Slot> slots_ = std::vector<Slot>(256);  // a power of two, a quarter empty
  unsigned shift_ = 56;                               // 64 less that power
  std::size_t others_ = 0;
  std::vector<Sums> sums_;
  std::vector<std::uint32_t> free_;  // places in sums_
};

class CallLaw {
 public:
  void piece(const Span& span) {
    CallSums::Sums& sums = open_.at(span.call);
    sums.own += span.duration;
    ++sums.pieces;
    sums.reach(span.start, span.start + span.duration);
  }
  void wait(const Span& span) {
    CallSums::Sums& sums = open_.at(span.call);
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
