// SPDX-License-Identifier: BSD-3-Clause
// The law of calls: every call ends; its pieces, its waits and what it called lie inside it and add
// up, with what is declared as unknown, to its duration. Spans and calls enter; violations leave,
// as sentences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "model/call.h"
#include "reports/violations.h"

namespace kutrace::reports {

// What is known of calls that have not ended, by id. Ids come in order and most calls end soon, so
// that nearly all find their place by the low bits of their id.
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

  // Valid until the next call.
  Sums& at(CallId id) {
    Sums& near = near_[place(id)];
    return near.id == id ? near : fetch(id);
  }
  std::size_t open() const;

 private:
  std::size_t place(CallId id) const { return static_cast<std::size_t>(id) & (near_.size() - 1); }
  Sums& fetch(CallId id);
  void grow();

  std::vector<Sums> near_ = std::vector<Sums>(256);  // a power of two
  std::unordered_map<CallId, Sums> far_;
  CallId newest_ = CallId::kNone;
};

class CallLaw {
 public:
  void piece(const Span& span);
  void wait(const Span& span);
  void call(const Call& call, Violations& violations);
  // Only counts it.
  void count(const Call& call);
  void finish(Violations& violations) const;

  std::uint64_t count() const { return count_; }
  std::uint64_t inferred() const { return inferred_; }  // of which begin or end was not seen
  Ns total() const { return total_; }
  Ns unknown() const { return unknown_; }

 private:
  CallSums open_;
  std::uint64_t count_ = 0;
  std::uint64_t inferred_ = 0;
  Ns total_ = 0;
  Ns unknown_ = 0;
};

}  // namespace kutrace::reports
