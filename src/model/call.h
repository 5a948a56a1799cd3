// SPDX-License-Identifier: BSD-3-Clause
// Calls and threads as wholes. A call is what began, was perhaps interrupted and blocked, and
// ended; the spans that carry its id are its pieces. A life is a thread from its first to its last
// moment, so that two threads which had one number in turn stay two.
//
// Of both, all time is accounted for: executing, waiting by reason, and what the trace does not
// tell, which is declared as unknown.
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"
#include "model/call_details.h"
#include "model/names.h"
#include "model/span.h"

namespace kutrace {

// Time that a thread waited for one reason, a letter of the WAIT table.
struct WaitTime {
  char letter = 0;
  Ns time = 0;
};

struct Call {
  CallId id = CallId::kNone;
  CallId parent = CallId::kNone;  // what it was made from or interrupted
  // Of the calls that are open at a time, each has another slot, and no slot is higher than there
  // were ever open: what is kept of open calls can stand in a table. Where parents are told.
  std::uint32_t slot = 0;
  std::uint32_t parent_slot = 0;
  ThreadId thread = ThreadId::kNone;  // whose it is; interrupts are a CPU's, and all that idle does
  Pid pid = kNoPid;                   // of that thread; 0: of a CPU
  CpuId cpu = kNoCpu;                 // where it ended
  EventNum event = 0;
  std::uint64_t arg = 0;
  NameId name = kNoName;
  SpanKind kind = SpanKind::kSyscall;
  Ns begin = 0;
  Ns end = 0;
  Ns own = 0;      // executing in itself: the sum of its pieces
  Ns on_cpu = 0;   // executing, what it called and what interrupted it included
  Ns blocked = 0;  // the sum of `waits`
  std::uint32_t pieces = 0;
  CallResult result;  // where `has_result`
  bool has_result = false;
  bool begin_inferred = false;  // it was under way before it was seen, or its call was not seen
  bool end_inferred = false;    // its return was not seen
  // Waits inside, of what it called, too. Valid while it is handed over.
  std::span<const WaitTime> waits;
  const CallDetails* details = nullptr;  // where they are recorded; valid likewise

  Ns duration() const { return end - begin; }
  // Of the waits, those for a CPU.
  Ns ready() const {
    Ns time = 0;
    for (const WaitTime& wait : waits) {
      if (wait.letter == 'c') time += wait.time;
    }
    return time;
  }
  // Neither executing nor waiting: what the trace does not tell.
  Ns unknown() const { return duration() - on_cpu - blocked; }
};

// A thread that got another number (one that is not the first of its process calls exec) goes on
// as another piece of life, with the same id.
struct ThreadLife {
  ThreadId thread = ThreadId::kNone;
  Pid pid = kNoPid;
  Pid process = kNoPid;  // number of its process, and of that one's parent; kNoPid: not told
  Pid parent = kNoPid;
  NameId name = kNoName;  // the last one it had
  Ns begin = 0;
  Ns end = 0;
  Ns executing = 0;
  Ns waiting = 0;

  Ns duration() const { return end - begin; }
  Ns unknown() const { return duration() - executing - waiting; }
};

}  // namespace kutrace
