// SPDX-License-Identifier: BSD-3-Clause
// An interval of a thread's time that is asked about, and what it is called.
#pragma once

#include <compare>
#include <cstdint>

#include "base/units.h"
#include "model/names.h"
#include "model/span.h"

namespace kutrace::reports {

struct Interval {
  Ns begin = 0;
  Ns end = 0;
  Pid pid = kNoPid;
  ThreadId thread = ThreadId::kNone;
  CpuId cpu = kNoCpu;     // where it ended
  NameId name = kNoName;  // of the call, mark or method; of a request the call that ends it
  bool has_result = false;
  NameId file = kNoName;    // that the call is about, where that is told
  std::int64_t result = 0;  // of a call
  char wait = 0;            // of a wait its letter (WAIT table)

  Ns duration() const { return end - begin; }
};

// Which thread, where several may have one number in turn, or one several.
struct WhichThread {
  WhichThread(Pid number, ThreadId thread)
      : id(thread), pid(thread == ThreadId::kNone ? number : kNoPid) {}
  auto operator<=>(const WhichThread&) const = default;

  ThreadId id;
  Pid pid;  // where the id is not told
};

// Longest first; of equals, the earliest.
inline bool is_slower(const Interval& a, const Interval& b) {
  if (a.duration() != b.duration()) return a.duration() > b.duration();
  return a.begin != b.begin ? a.begin < b.begin : a.pid < b.pid;
}

}  // namespace kutrace::reports
