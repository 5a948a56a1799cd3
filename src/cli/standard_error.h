// SPDX-License-Identifier: BSD-3-Clause
// Text to standard error, which may be gone: a terminal that was closed, a pipe that nobody reads.
// In: text; out: the text, or nothing. What is told there is never worth a result.
#pragma once

#include <string_view>

namespace kutrace::cli {

// While it lives, this thread gets EPIPE from a pipe that nobody reads, and no signal.
class NoPipeSignal {
 public:
  NoPipeSignal();
  ~NoPipeSignal();
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  bool was_blocked_ = false;
  bool was_pending_ = false;
};

// At once, and as far as it can be written.
void write_standard_error(std::string_view text);

}  // namespace kutrace::cli
