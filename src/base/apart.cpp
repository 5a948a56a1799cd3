// SPDX-License-Identifier: BSD-3-Clause
// Which of the two is later.
#include "base/apart.h"

#include <fmt/format.h>

namespace kutrace {

namespace {

double seconds(Ns time) { return static_cast<double>(time) / 1e9; }

}  // namespace

std::string why_apart(const TimeWindow& window, const TimeWindow& recording) {
  if (window.end <= recording.begin)
    return fmt::format("the recording begins at {:.9f} s, the window ends at {:.9f} s",
                       seconds(recording.begin), seconds(window.end));
  if (window.begin >= recording.end)
    return fmt::format("the window begins at {:.9f} s, the recording ends at {:.9f} s",
                       seconds(window.begin), seconds(recording.end));
  return recording.begin < recording.end ? "" : "the recording is empty";
}

}  // namespace kutrace
