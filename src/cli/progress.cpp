// SPDX-License-Identifier: BSD-3-Clause
// Drawing the bar.
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "cli/standard_error.h"

namespace kutrace::cli {

Progress::Progress()
    : begin_(std::chrono::steady_clock::now()), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_) write_standard_error(fmt::format("\r{:60}\r", ""));
}

void Progress::show(double share) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - begin_ < std::chrono::seconds(1)) return;
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  constexpr int kWidth = 40;
  const double all = std::min(1.0, (pass_ + share) / passes_);
  const std::string bar(static_cast<std::size_t>(all * kWidth), '#');
  write_standard_error(fmt::format("\r[{:<{}}] {:3.0f} %", bar, kWidth, all * 100));
}

}  // namespace kutrace::cli
