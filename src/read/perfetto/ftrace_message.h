// SPDX-License-Identifier: BSD-3-Clause
// One FtraceEvent. In: its bytes; out: when it was, and what it says.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "read/import/kernel_event.h"
#include "read/perfetto/ftrace_rows.h"

namespace kutrace::read {

// An event that is used.
struct FtraceMessage {
  Ns time = 0;  // of the clock of its bundle
  Pid pid = kNoPid;
  const Tracepoint* tracepoint = nullptr;
  const FtraceRow* row = nullptr;   // null: its fields have names
  std::span<const std::byte> body;  // the message of its kind
};

std::optional<FtraceMessage> read_ftrace_message(std::span<const std::byte> bytes,
                                                 const FtraceRows& rows);

// All but time and CPU.
void decode_ftrace_message(const FtraceMessage& message, KernelEvent& event);

}  // namespace kutrace::read
