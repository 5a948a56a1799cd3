// SPDX-License-Identifier: BSD-3-Clause
// In: the number by which a 64-bit program makes a system call, as the kernel's sources have it;
// out: the event of that call.
#pragma once

#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace {

// From KUTRACE_CALLS on stand the events of 32-bit programs' calls.
constexpr EventNum numbered_call_event(unsigned number) {
  return number < KUTRACE_CALLS ? syscall_event(number) : kWideSyscall | number;
}

}  // namespace kutrace
