// SPDX-License-Identifier: BSD-3-Clause
// Block writes, and who owns the result.
#include "device/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "device/invoking_user.h"
#include "kutrace/abi.h"

namespace kutrace {

namespace {

// Moves the begin of what is left past what was written.
void skip(std::array<iovec, 2>& parts, std::size_t bytes) {
  for (iovec& part : parts) {
    const std::size_t step = std::min(bytes, part.iov_len);
    part.iov_base = static_cast<char*>(part.iov_base) + step;
    part.iov_len -= step;
    bytes -= step;
  }
}

iovec part_of(const std::uint64_t* words, std::size_t count) {
  return {const_cast<std::uint64_t*>(words), 8 * count};
}

}  // namespace

TraceFile::TraceFile(int fd, std::string path, std::string written_as)
    : fd_(fd), path_(std::move(path)), written_as_(std::move(written_as)) {}

TraceFile::TraceFile(TraceFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      written_as_(std::move(other.written_as_)),
      kept_(other.kept_) {}

TraceFile::~TraceFile() {
  if (fd_ < 0) return;
  close(fd_);
  if (!kept_ && written_as_ != path_) unlink(written_as_.c_str());
}

Result<TraceFile> TraceFile::create(const std::string& path, bool growing) {
  const std::string name = growing ? path : path + ".tmp" + std::to_string(getpid());
  const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    return fail(output_error("cannot create it: " + errno_text(errno))
                    .with_file(path)
                    .with_hint("choose another place with -o"));
  return TraceFile(fd, path, name);
}

Error TraceFile::write_error(int error) const {
  return output_error("cannot write to it: " + errno_text(error))
      .with_file(path_)
      .with_hint(error == ENOSPC ? "free some space, or record elsewhere with -o" : "");
}

Status TraceFile::write_parts(std::uint64_t number, std::array<iovec, 2> parts) {
  for (std::size_t done = 0; done < KUTRACE_BLOCK_BYTES;) {
    const ssize_t written = pwritev(fd_, parts.data(), static_cast<int>(parts.size()),
                                    static_cast<off_t>(number * KUTRACE_BLOCK_BYTES + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = written < 0 ? errno : EIO;
      // No part of a block may stay: readers take the file's length as a number of whole blocks.
      if (done != 0 && ftruncate(fd_, static_cast<off_t>(number * KUTRACE_BLOCK_BYTES)) != 0)
        return fail(write_error(errno));
      return fail(write_error(error));
    }
    done += static_cast<std::size_t>(written);
    skip(parts, static_cast<std::size_t>(written));
  }
  return {};
}

Status TraceFile::write_block(std::uint64_t number, const std::uint64_t* words) {
  return write_parts(number, {part_of(words, KUTRACE_BLOCK_WORDS), part_of(words, 0)});
}

Status TraceFile::write_block(std::uint64_t number, const FinishedBlock& block,
                              std::uint64_t usec) {
  const std::array<std::uint64_t, 2> head{block.words[0], block.words[1] | usec};
  return write_parts(number,
                     {part_of(head.data(), head.size()),
                      part_of(block.words + head.size(), KUTRACE_BLOCK_WORDS - head.size())});
}

Status TraceFile::keep() {
  if (const auto user = invoking_user())
    if (fchown(fd_, user->uid, user->gid) != 0 && errno != EPERM) return fail(write_error(errno));
  if (written_as_ != path_ && std::rename(written_as_.c_str(), path_.c_str()) != 0)
    return fail(write_error(errno));
  kept_ = true;
  return {};
}

void TraceFile::discard() {
  unlink(written_as_.c_str());
  kept_ = true;
}

}  // namespace kutrace
