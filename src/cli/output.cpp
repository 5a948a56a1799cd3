// SPDX-License-Identifier: BSD-3-Clause
// Buffered standard output.
#include "cli/output.h"

#include <unistd.h>

#include <cerrno>

#include "files/files.h"
#include "files/output_place.h"

namespace kutrace::cli {

namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 16;

Status check_standard_output() {
  KUTRACE_ASSIGN(const files::OutputPlace place, files::find_output_place("-"));
  return files::check_output_place(place, -1);
}

}  // namespace

void StandardOutput::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kFlushAt) write_out();
}

void StandardOutput::line(std::string_view text) {
  buffer_ += text;
  write("\n");
}

void StandardOutput::write_out() {
  if (!checked_) failed_ = check_standard_output();
  checked_ = true;
  if (failed_) {
    const int number = files::write_all(STDOUT_FILENO, buffer_);
    // A reader that has seen enough (head, less) is not an error.
    if (number != 0 && number != EPIPE)
      failed_ = fail(output_error("standard output: " + errno_text(number)));
  }
  buffer_.clear();
}

}  // namespace kutrace::cli
