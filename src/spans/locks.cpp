// SPDX-License-Identifier: BSD-3-Clause
// Lock spans.
#include "spans/locks.h"

#include "format/event_table.h"

namespace kutrace::spans {

void Locks::span(SpanKind kind, Ns begin, Ns end, Pid pid, std::uint32_t lock) {
  if (end <= begin) return;
  Span span;
  span.start = begin;
  span.duration = end - begin;
  span.pid = pid;
  span.event = kind == SpanKind::kLockHeld ? ev::kLOCK_HELD : ev::kLOCK_WANTED;
  span.arg = lock;
  span.name = names_.lock(pid, lock);
  span.kind = kind;
  sink_.push(span);
}

void Locks::push(Ns now, Pid pid, EventNum point, std::uint32_t lock) {
  Last& last = last_[{lock, pid}];
  if (point == ev::kLOCK_ACQUIRE && last.point == ev::kLOCK_TRY) {
    span(SpanKind::kLockWanted, last.time, now, pid, lock);
  }
  if (point == ev::kLOCK_RELEASE && last.point == ev::kLOCK_ACQUIRE) {
    span(SpanKind::kLockHeld, last.time, now, pid, lock);
  }
  if (point == ev::kLOCK_RELEASE) {
    last_.erase({lock, pid});
  } else if (point != ev::kLOCK_TRY || last.point != ev::kLOCK_TRY) {
    last = {point, now};
  }
}

}  // namespace kutrace::spans
