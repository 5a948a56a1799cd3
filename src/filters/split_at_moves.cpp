// SPDX-License-Identifier: BSD-3-Clause
// Cutting at moves.
#include "filters/split_at_moves.h"

#include <algorithm>
#include <span>

namespace kutrace::filters {

void SplitAtMoves::push_piece(Span piece) {
  Sums& sums = sums_[piece.thread];
  (is_execution(piece.kind) ? sums.executing : sums.waiting) += piece.duration;
  next().push(piece);
}

void SplitAtMoves::push(const Span& span) {
  const auto pieces = pieces_.of(span.thread);
  if (pieces.empty()) return next().push(span);
  Span piece = span;
  const bool is_time = is_execution(span.kind) || span.kind == SpanKind::kWait;
  if (!is_time || span.duration == 0) {
    piece.thread = GroupPieces::at(pieces, span.start).thread;
    return next().push(piece);
  }
  const Ns end = span.start + span.duration;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Ns until = i + 1 < pieces.size() ? std::min(end, pieces[i + 1].begin) : end;
    const Ns from = std::max(span.start, pieces[i].begin);
    if (from >= until) continue;
    piece.thread = pieces[i].thread;
    piece.start = from;
    piece.duration = until - from;
    push_piece(piece);
  }
}

void SplitAtMoves::call(const Call& call) {
  const auto pieces = pieces_.of(call.thread);
  if (pieces.empty()) return next().call(call);
  Call moved = call;
  moved.thread = GroupPieces::at(pieces, call.begin).thread;
  next().call(moved);
}

// The last one has what the others leave. A thread that got another number has several lives.
void SplitAtMoves::life(const ThreadLife& life) {
  const auto pieces = pieces_.of(life.thread);
  if (pieces.empty()) return next().life(life);
  ThreadLife left = life;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool is_last = i + 1 == pieces.size() || pieces[i + 1].begin >= life.end;
    if (!is_last && pieces[i + 1].begin <= left.begin) continue;
    ThreadLife piece = left;
    piece.thread = pieces[i].thread;
    Sums& sums = sums_[piece.thread];
    if (!is_last) {
      piece.end = left.begin = pieces[i + 1].begin;
      piece.executing = std::min(sums.executing, left.executing);
      piece.waiting = std::min(sums.waiting, left.waiting);
    }
    left.executing -= piece.executing;
    left.waiting -= piece.waiting;
    sums.executing -= std::min(sums.executing, piece.executing);
    sums.waiting -= std::min(sums.waiting, piece.waiting);
    next().life(piece);
    if (is_last) return;
  }
}

}  // namespace kutrace::filters
