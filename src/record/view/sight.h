// SPDX-License-Identifier: BSD-3-Clause
// What a user other than root sees: a list of what is shown. In: an entry's number and argument;
// out: when the user's reader gets it, and how much of it. What is not on the list is hidden.
//
// doc/permissions.md says what this comes to, and what can be told from times alone.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace kutrace::record {

enum class Sight : std::uint8_t {
  kHidden,
  kLoss,        // always: of a CPU
  kSwitch,      // who runs, where others have no number and no name
  kWakeup,      // if the thread is the user's
  kIdle,        // while nobody runs
  kOwn,         // while a thread of his runs: all of it
  kOwnFamily,   // likewise, of threads that it starts: without the number of another's process
  kOwnNumber,   // likewise, but not its argument
  kOwnSoftirq,  // likewise, and which softirq it is
};

// `argument` tells one moment with numbers from another.
Sight sight_of_user(EventNum number, std::uint32_t argument);

// In place of all threads of others on a CPU; no kernel gives such a number.
constexpr Pid kFirstHiddenPid = 1 << 22;
constexpr Pid hidden_pid(CpuId cpu) { return kFirstHiddenPid + static_cast<Pid>(cpu); }
constexpr const char* kHiddenName = "others";

}  // namespace kutrace::record
