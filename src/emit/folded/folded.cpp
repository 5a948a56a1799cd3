// SPDX-License-Identifier: BSD-3-Clause
// A line for each stack.
#include "emit/folded/folded.h"

#include <string>
#include <vector>

#include "base/text.h"
#include "emit/stream/stack_frames.h"
#include "emit/stream/text_buffer.h"
#include "model/stack_text.h"

namespace kutrace::emit {

Status FoldedSink::finish(const TraceInfo& /*info*/) {
  TextBuffer lines([this](std::string_view bytes) { return take(bytes); });
  StackFrames frames(sums());
  std::vector<std::string> shown;  // of frames
  for (std::size_t node = 0; node < sums().nodes().size(); ++node) {
    const StackSums::Node& stack = sums().nodes()[node];
    if (stack.time == 0) continue;
    bool is_first = true;
    for (const std::uint32_t frame : frames.of(node)) {
      while (shown.size() < frames.texts().size()) {
        const std::size_t next =
            shown.size();  // compilers differ in which argument they make first
        add_frame(shown.emplace_back(), printable(frames.texts()[next]));
      }
      if (!is_first) lines.byte(';');
      lines.text(shown[frame]);
      is_first = false;
    }
    lines.byte(' ').number(stack.time).byte('\n');
  }
  lines.hand_over();
  return {};
}

}  // namespace kutrace::emit
