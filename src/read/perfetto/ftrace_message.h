// SPDX-License-Identifier: BSD-3-Clause
// One FtraceEvent. In: its bytes; out: when it was, and what it says.
#pragma once

#include <cstddef>
#include <span>

#include "read/import/kernel_event.h"
#include "read/perfetto/ftrace_rows.h"

namespace kutrace::read {

struct FtraceMessage {
  Ns time = 0;  // of the clock of its bundle
  Pid pid = kNoPid;
  const Tracepoint* tracepoint = nullptr;  // null: it is not used
  const FtraceRow* row = nullptr;          // null: its fields have names
  std::span<const std::byte> body;         // the message of its kind
  bool damaged = false;
};

FtraceMessage read_ftrace_message(std::span<const std::byte> bytes, const FtraceRows& rows);

// All but time and CPU.
void decode_ftrace_message(const FtraceMessage& message, KernelEvent& event);

}  // namespace kutrace::read
