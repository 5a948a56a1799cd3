// SPDX-License-Identifier: BSD-3-Clause
// Time before and after a move to another control group, apart. In: a trace, and the pieces of its
// threads (group_pieces.h); out: the same trace, in which each piece is a thread with a life of its
// own. Execution and waits that a move lies in fall apart; a call, and what happens at a moment, is
// of the piece in which it begins.
#pragma once

#include <unordered_map>

#include "filters/group_pieces.h"
#include "model/span_sink.h"

namespace kutrace::filters {

class SplitAtMoves : public SpanStage {
 public:
  // The pieces stay the caller's.
  SplitAtMoves(const GroupPieces& pieces, SpanSink& next) : SpanStage(next), pieces_(pieces) {}
  void push(const Span& span) override;
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;

 private:
  struct Sums {
    Ns executing = 0;
    Ns waiting = 0;
  };
  void push_piece(Span piece);

  const GroupPieces& pieces_;
  std::unordered_map<ThreadId, Sums> sums_;  // of pieces, until their lives are told
};

}  // namespace kutrace::filters
