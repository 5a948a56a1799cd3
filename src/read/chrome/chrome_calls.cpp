// SPDX-License-Identifier: BSD-3-Clause
// Sums over the pieces of calls.
#include "read/chrome/chrome_calls.h"

#include <algorithm>
#include <ranges>

#include "format/event_table.h"

namespace kutrace::read {

void ChromeCalls::add(Pid pid, const Piece& piece) {
  std::deque<Piece>& pieces = pieces_[pid];
  if (pieces.size() == kMostPieces) pieces.pop_front();
  pieces.push_back(piece);
}

void ChromeCalls::executes(const Span& span) {
  if (span.pid <= 0) return;
  if (is_user(span.kind)) {
    pieces_.erase(span.pid);
    return;
  }
  add(span.pid, {span.start, span.start + span.duration, span.name, span.kind, 0, span.cpu});
}

void ChromeCalls::waits(const Span& span) {
  const auto letter = static_cast<char>('a' + (span.event - ev::kWAIT_FIRST));
  add(span.pid, {.begin = span.start, .end = span.start + span.duration, .letter = letter});
}

void ChromeCalls::call(const Span& whole, Seen seen, SpanSink& sink) {
  Call call;
  call.id = CallId{next_++};
  call.pid = whole.pid;
  call.event = whole.event;
  call.name = whole.name;
  call.kind = whole.kind;
  call.begin = whole.start;
  call.end = whole.start + whole.duration;
  call.result = whole.result;
  call.has_result = whole.has_result;
  call.begin_inferred = !seen.begin;
  call.end_inferred = !seen.end;
  waits_.clear();
  const auto known = pieces_.find(whole.pid);
  static const std::deque<Piece> none;
  const std::deque<Piece>& pieces = known == pieces_.end() ? none : known->second;
  for (const Piece& piece : std::views::reverse(pieces)) {
    if (piece.end <= call.begin && piece.begin < call.begin) break;
    if (piece.begin < call.begin || piece.end > call.end) continue;
    const Ns time = piece.end - piece.begin;
    if (piece.kind == SpanKind::kWait) {
      call.blocked += time;
      const auto of_letter = std::ranges::find(waits_, piece.letter, &WaitTime::letter);
      if (of_letter == waits_.end()) {
        waits_.push_back({piece.letter, time});
      } else {
        of_letter->time += time;
      }
      continue;
    }
    if (call.cpu == kNoCpu) call.cpu = piece.cpu;
    call.on_cpu += time;
    if (piece.kind != call.kind || piece.name != call.name) continue;
    call.own += time;
    ++call.pieces;
  }
  call.waits = waits_;
  sink.call(call);
}

}  // namespace kutrace::read
