// SPDX-License-Identifier: BSD-3-Clause
// A line for each stack.
#include "emit/folded/folded.h"

#include <fmt/format.h>

#include <string>

#include "base/text.h"
#include "model/stack_text.h"

namespace kutrace::emit {

Status FoldedSink::finish(const TraceInfo& /*info*/) {
  for (std::size_t node = 0; node < sums().nodes().size(); ++node) {
    const StackSums::Node& stack = sums().nodes()[node];
    if (stack.time == 0) continue;
    std::string text;
    for (const std::string& frame : sums().frames(node)) add_frame(text, printable(frame));
    take(fmt::format("{} {}\n", text, stack.time));
  }
  return {};
}

}  // namespace kutrace::emit
