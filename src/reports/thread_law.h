// SPDX-License-Identifier: BSD-3-Clause
// The law of threads: from a thread's first to its last moment, executing and waiting do not
// overlap, and add up, with what is declared as unknown, to its life. Spans and lives enter;
// violations leave, as sentences.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "model/call.h"

namespace kutrace {

class ThreadLaw {
 public:
  using Violate = std::function<void(std::string)>;

  struct Sums {
    Ns executing = 0;
    Ns waiting = 0;
    Ns first = 0;
    Ns until = 0;
    Ns overlap = 0;
    bool any = false;

    void reach(const Span& span);
  };

  // Stays where it is.
  Sums& of(Pid pid) { return threads_[pid]; }
  void life(const ThreadLife& life, const Violate& violate);
  void finish(const Violate& violate) const;

  std::uint64_t count() const { return count_; }
  Ns total() const { return total_; }
  Ns unknown() const { return unknown_; }

 private:
  std::unordered_map<Pid, Sums> threads_;  // by number: one life after the other
  std::uint64_t count_ = 0;
  Ns total_ = 0;
  Ns unknown_ = 0;
};

}  // namespace kutrace
