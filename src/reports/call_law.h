// SPDX-License-Identifier: BSD-3-Clause
// The law of calls: every call ends; its pieces, its waits and what it called lie inside it and add
// up, with what is declared as unknown, to its duration. Spans and calls enter; violations leave,
// as sentences.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/call.h"

namespace kutrace {

// What is known of calls that have not ended, by id. Ids come in order and most calls end soon, so
// a number's low bits are its place but for few.
class CallSums {
 public:
  struct Sums {
    CallId id = CallId::kNone;
    std::uint32_t pieces = 0;
    Ns own = 0;
    Ns called = 0;   // on a CPU in what it called
    Ns blocked = 0;  // there and in itself
    Ns first = 0;    // of all of these, if there is any
    Ns last = 0;
    bool any = false;

    void reach(Ns begin, Ns end);
  };

  CallSums() : sums_(64) {}
  Sums& at(CallId id);
  // What is known of it, which is forgotten here.
  Sums take(CallId id);
  std::size_t size() const { return size_; }

 private:
  std::size_t find(CallId id) const;
  void grow();

  std::vector<Sums> sums_;  // a power of two, at most half of it in use
  std::size_t size_ = 0;
};

class CallLaw {
 public:
  using Violate = std::function<void(std::string)>;

  void piece(const Span& span);
  void wait(const Span& span);
  void call(const Call& call, const Violate& violate);
  void finish(const Violate& violate) const;

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

}  // namespace kutrace
