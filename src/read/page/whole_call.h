// SPDX-License-Identifier: BSD-3-Clause
// Calls that spans tell. In: a piece of a call; out: the call as its first piece tells it, without
// a number, and as its only one does.
#pragma once

#include "model/call.h"

namespace kutrace::read {

inline Call begun_call(const Span& span) {
  Call call;
  call.pid = is_interrupt(span.kind) ? 0 : span.pid;
  call.thread = is_interrupt(span.kind) ? ThreadId::kNone : span.thread;
  call.event = span.event;
  call.name = span.name;
  call.kind = span.kind;
  call.begin = span.start;
  return call;
}

inline Call whole_call(const Span& span) {
  Call call = begun_call(span);
  call.id = span.call;
  call.end = span.start + span.duration;
  call.own = call.on_cpu = span.duration;
  call.cpu = span.cpu;
  call.arg = span.arg;
  call.pieces = 1;
  call.result = span.result;
  call.has_result = span.has_result;
  return call;
}

}  // namespace kutrace::read
