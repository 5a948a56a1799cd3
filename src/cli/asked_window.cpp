// SPDX-License-Identifier: BSD-3-Clause
// Two times, in their order.
#include "cli/asked_window.h"

#include "base/time_length.h"

namespace kutrace::cli {

Error empty_window() { return usage_error("the window is empty"); }

Result<TimeWindow> asked_window(const std::string& from, const std::string& to) {
  TimeWindow window{-kForever, kForever};
  if (!from.empty()) {
    KUTRACE_ASSIGN(window.begin, parse_time(from));
  }
  if (!to.empty()) {
    KUTRACE_ASSIGN(window.end, parse_time(to));
  }
  if (window.begin == window.end) return fail(empty_window());
  if (window.begin > window.end)
    return fail(usage_error("the window ends before it begins")
                    .with_hint("--from is its begin, --to its end; both count from the start of "
                               "the recording"));
  return window;
}

}  // namespace kutrace::cli
