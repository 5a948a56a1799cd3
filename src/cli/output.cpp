// SPDX-License-Identifier: BSD-3-Clause
// Buffered standard output.
#include "cli/output.h"

#include <unistd.h>

#include <cerrno>

#include "device/files.h"

namespace kutrace {

namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 16;

}  // namespace

void StandardOutput::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kFlushAt) flush();
}

void StandardOutput::line(std::string_view text) {
  buffer_ += text;
  write("\n");
}

void StandardOutput::flush() {
  if (failed_ == 0) failed_ = write_all(STDOUT_FILENO, buffer_);
  buffer_.clear();
}

Status StandardOutput::finish() {
  flush();
  // A reader that has seen enough (head, less) is not an error.
  if (failed_ == 0 || failed_ == EPIPE) return {};
  return fail(output_error("standard output: " + errno_text(failed_)));
}

}  // namespace kutrace
