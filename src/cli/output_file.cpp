// SPDX-License-Identifier: BSD-3-Clause
// Temporary name, buffered writing, rename.
#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "device/files.h"

namespace kutrace {

namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 18;
constexpr mode_t kEveryone = 0666;

Error cannot_write(const std::string& path, int number) {
  return output_error("cannot be written: " + errno_text(number)).with_file(path);
}

// The file behind a symbolic link, so that the link itself stays.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result = real;
  std::free(real);
  return result;
}

// What a new file may be by the process's mask; mkstemp makes private files.
mode_t usual_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return kEveryone & ~mask;
}

}  // namespace

Error OutputFile::error(int number) const { return cannot_write(path_, number); }

Result<OutputFile> OutputFile::create(const std::string& path) {
  OutputFile file;
  file.path_ = path;
  if (path == "-") {
    file.path_ = "(standard output)";
    file.descriptor_ = STDOUT_FILENO;
    return file;
  }
  if (is_special(path)) {
    file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return fail(file.error(errno));
    return file;
  }
  file.path_ = resolved(path);
  std::string temporary = file.path_ + ".XXXXXX";
  file.descriptor_ = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (file.descriptor_ < 0) return fail(cannot_write(path, errno));
  file.temporary_ = std::move(temporary);
  if (::fchmod(file.descriptor_, usual_mode()) != 0) return fail(file.error(errno));
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::exchange(other.buffer_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      failed_(other.failed_) {}

OutputFile::~OutputFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool OutputFile::write(std::string_view text) {
  if (buffer_.size() + text.size() >= kFlushAt) flush();
  if (text.size() < kFlushAt) {
    buffer_ += text;
  } else if (failed_ == 0) {
    failed_ = write_all(descriptor_, text);
  }
  return failed_ == 0;
}

void OutputFile::flush() {
  if (failed_ == 0) failed_ = write_all(descriptor_, buffer_);
  buffer_.clear();
}

Status OutputFile::finish() {
  flush();
  if (descriptor_ > STDERR_FILENO && ::close(std::exchange(descriptor_, -1)) != 0 && failed_ == 0) {
    failed_ = errno;
  }
  if (failed_ != 0) return fail(error(failed_));
  if (temporary_.empty()) return {};
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return fail(error(errno));
  temporary_.clear();
  return {};
}

}  // namespace kutrace
