// SPDX-License-Identifier: BSD-3-Clause
// Buffered writing.
#include "cli/output_file.h"

#include "files/files.h"

namespace kutrace::cli {

namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 18;
constexpr std::size_t kLarge = std::size_t{1} << 16;  // is written as it stands

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  KUTRACE_ASSIGN(files::NewFile file,
                 files::NewFile::create(path, files::NewFile::Purpose::kResult));
  return OutputFile(std::move(file));
}

bool OutputFile::write(std::string_view text) {
  if (text.size() >= kLarge || buffer_.size() + text.size() >= kFlushAt) flush();
  if (text.size() < kLarge) {
    buffer_ += text;
  } else if (failed_ == 0) {
    failed_ = files::write_all(file_.fd(), text);
  }
  return failed_ == 0;
}

void OutputFile::flush() {
  if (failed_ == 0) failed_ = files::write_all(file_.fd(), buffer_);
  buffer_.clear();
}

Status OutputFile::finish() {
  flush();
  if (failed_ == 0) return file_.take_name();
  return fail(output_error("cannot be written: " + errno_text(failed_)).with_file(file_.path()));
}

}  // namespace kutrace::cli
