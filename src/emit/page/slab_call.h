// SPDX-License-Identifier: BSD-3-Clause
// A call by the page's numbers. In: a call, with its kind and threads in the page's tables; out:
// what is written of it, but for its waits.
#pragma once

#include <cstdint>
#include <span>

#include "emit/page/page_tables.h"
#include "format/page_format.h"
#include "model/call.h"
#include "model/page_result.h"

namespace kutrace::emit {

struct SlabCall {
  Ns begin = 0;
  Ns end = 0;
  Ns own = 0;
  Ns unknown = 0;
  CallId id = CallId::kNone;
  KindIndex kind = 0;
  ThreadIndex thread = kIdleThread;  // kIdleThread: it is a CPU's
  ThreadIndex stack = kIdleThread;   // of a CPU's: the thread that it interrupted
  CpuId cpu = kNoCpu;
  std::uint32_t arg = 0;
  std::uint32_t pieces = 0;
  std::uint32_t waits = 0;  // reasons
  std::uint32_t first_wait = 0;
  std::uint32_t result = 0;  // + 1; 0: none
  std::uint8_t flags = 0;
  bool birth = false;  // what no sum of calls has

  Ns duration() const { return end - begin; }
};

// The results that pages hold: those of system calls, and the signal of a fault that failed.
constexpr std::uint32_t result_code(SpanKind kind, bool has_result, std::uint32_t result) {
  const bool held =
      has_result && (kind == SpanKind::kSyscall || (kind == SpanKind::kTrap && result != 0));
  return held ? result + 1 : 0;
}

// What a call is by the page's numbers.
struct CallPlace {
  KindIndex kind = 0;
  ThreadIndex thread = kIdleThread;  // as SlabCall has them
  ThreadIndex stack = kIdleThread;
  bool birth = false;  // a new thread's way out of the call that made it
};

inline SlabCall slab_call(const Call& call, const CallPlace& place) {
  const auto flags =
      (call.begin_inferred ? kPageBeginInferred : 0u) | (call.end_inferred ? kPageEndInferred : 0u);
  return {
      .begin = call.begin,
      .end = call.end,
      .own = call.own,
      .unknown = call.unknown(),
      .id = call.id,
      .kind = place.kind,
      .thread = place.thread,
      .stack = place.stack,
      .cpu = call.cpu,
      .arg = static_cast<std::uint32_t>(call.arg),
      .pieces = call.pieces,
      .waits = static_cast<std::uint32_t>(call.waits.size()),
      .result = result_code(call.kind, call.has_result, page_result(call.kind, call.result)),
      .flags = static_cast<std::uint8_t>(flags),
      .birth = place.birth,
  };
}

// Calls `fold` with every time of a call, that of its begin counted from `base`.
template <typename Fold>
void each_time(const SlabCall& call, std::span<const WaitTime> waits, Ns base, Fold fold) {
  for (const Ns time : {call.begin - base, call.duration(), call.own, call.unknown}) fold(time);
  for (const WaitTime& wait : waits) fold(wait.time);
}

}  // namespace kutrace::emit
