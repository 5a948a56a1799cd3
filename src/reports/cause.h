// SPDX-License-Identifier: BSD-3-Clause
// Why a piece of an interval passed: what happened then on the path that led to its end.
#pragma once

#include <compare>
#include <cstdint>

#include "base/units.h"
#include "model/names.h"
#include "reports/happenings.h"

namespace kutrace::reports {

enum class CauseKind : std::uint8_t {
  // The thread executed.
  kUser,   // its own code
  kCall,   // `name`: a system call
  kFault,  // `name`
  kScheduler,
  kInterrupt,  // the CPU was taken from it by interrupt `name`
  kSoftirq,    // the same
  // It could run and did not, on `cpu`:
  kReady,           // `other` ran there
  kReadyInterrupt,  // interrupt or softirq `name` did
  kWakeup,          // it was idle, and about to switch to the thread
  kIdleExit,        // it left an idle state
  // It was blocked in call `name`, until
  kTimer,    // a timer
  kDisk,     // a disk
  kNetwork,  // a message of another machine; `other` sent it, where that is in the trace
  kDevice,   // another interrupt, `waker`
  kWaker,    // somebody whose own doings are not told
  kUnknown,  // what the trace does not tell
};
// Whether the thread did not execute meanwhile.
constexpr bool is_wait(CauseKind kind) { return kind >= CauseKind::kReady; }
constexpr std::size_t kCauseKinds = static_cast<std::size_t>(CauseKind::kUnknown) + 1;

struct Cause {
  CauseKind kind = CauseKind::kUnknown;
  // Letter of the wait in which the interval's thread was then (WAIT table); 0: in none.
  char waited = 0;
  bool of_lock = false;       // that wait is in a call that waits for locks alone, not for threads
  bool at_end = false;        // nobody ended it before the trace did
  ThreadRow thread = kNoRow;  // whose piece it is: the interval's, or one that ended its wait
  ThreadRow other = kNoRow;
  NameId name = kNoName;
  NameId waker = kNoName;  // routine that ended the wait
  NameId file = kNoName;   // that call `name` is about, where that is told
  CpuId cpu = kNoCpu;      // of what kept it ready; of what is unknown: where events are missing

  auto operator<=>(const Cause&) const = default;
};

// "user", "call", ...: stable, for outputs that programs read.
const char* cause_name(CauseKind kind);

}  // namespace kutrace::reports
