// SPDX-License-Identifier: BSD-3-Clause
// Calls of this project's own export, whose events tell when they began and ended. In: what threads
// execute and wait for, in the order in which it ended, and their calls, each after all that is
// within it; out: calls with the sums of what lies in them. What is known of a thread is forgotten
// when it is in user mode, where no call is open; of a call of very many pieces the first ones may
// not be counted, and are unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "model/call.h"
#include "model/span_sink.h"

namespace kutrace::read {

class ChromeCalls {
 public:
  void executes(const Span& span);
  void waits(const Span& span);
  // What of a call was seen; the rest is inferred.
  struct Seen {
    bool begin = true;
    bool end = true;
  };
  // `whole` is the call as a span of its thread.
  void call(const Span& whole, Seen seen, SpanSink& sink);

 private:
  static constexpr std::size_t kMostPieces = 1 << 12;  // of a thread

  struct Piece {
    Ns begin = 0;
    Ns end = 0;
    NameId name = kNoName;
    SpanKind kind = SpanKind::kWait;
    char letter = 0;  // of a wait
    CpuId cpu = kNoCpu;
  };

  void add(Pid pid, const Piece& piece);

  std::unordered_map<Pid, std::deque<Piece>> pieces_;
  std::vector<WaitTime> waits_;
  std::uint32_t next_ = 1;
};

}  // namespace kutrace::read
