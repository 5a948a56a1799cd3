// SPDX-License-Identifier: BSD-3-Clause
// Block writes, and who owns the result.
#include "device/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "device/files.h"
#include "device/invoking_user.h"
#include "kutrace/abi.h"

namespace kutrace {

namespace {

// Moves the begin of what is left past what was written.
void skip(std::array<iovec, 3>& parts, std::size_t bytes) {
  for (iovec& part : parts) {
    const std::size_t step = std::min(bytes, part.iov_len);
    part.iov_base = static_cast<char*>(part.iov_base) + step;
    part.iov_len -= step;
    bytes -= step;
  }
}

template <typename T>
iovec part_of(const T* values, std::size_t count) {
  return {const_cast<T*>(values), sizeof(T) * count};
}

constexpr std::size_t kCopyBytes = std::size_t{1} << 20;
constexpr std::array<std::uint8_t, KUTRACE_TRAILER_BYTES> kNothingCounted{};

}  // namespace

TraceFile::TraceFile(int fd, std::string path, std::string written_as, unsigned counters)
    : fd_(fd), path_(std::move(path)), written_as_(std::move(written_as)), counters_(counters) {}

TraceFile::TraceFile(TraceFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      written_as_(std::move(other.written_as_)),
      counters_(other.counters_),
      destination_(std::exchange(other.destination_, -1)),
      kept_(other.kept_) {}

TraceFile::~TraceFile() {
  if (fd_ < 0) return;
  close(fd_);
  if (destination_ >= 0) close(destination_);
  if (!kept_ && !written_as_.empty() && written_as_ != path_) unlink(written_as_.c_str());
}

Result<TraceFile> TraceFile::create_to_copy(const std::string& path, unsigned counters) {
  const bool standard = path == "-";
  if (standard && isatty(STDOUT_FILENO) != 0)
    return fail(usage_error("a raw trace is not for a terminal")
                    .with_hint("kutrace record -o - ... | kutrace report - -o out.html"));
  KUTRACE_ASSIGN(const int fd, nameless_file(temporary_folder()));
  TraceFile file(fd, standard ? "(standard output)" : path, "", counters);
  file.destination_ = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                               : open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file.destination_ < 0) return fail(file.write_error(errno));
  return file;
}

Result<TraceFile> TraceFile::create(const std::string& path, bool growing, unsigned counters) {
  if (path == "-" || is_special(path)) return create_to_copy(path, counters);
  const std::string name = growing ? path : path + ".tmp" + std::to_string(getpid());
  const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    return fail(output_error("cannot create it: " + errno_text(errno))
                    .with_file(path)
                    .with_hint("choose another place with -o"));
  return TraceFile(fd, path, name, counters);
}

Error TraceFile::write_error(int error) const {
  return output_error("cannot write to it: " + errno_text(error))
      .with_file(path_)
      .with_hint(error == ENOSPC ? "free some space, or record elsewhere with -o" : "");
}

std::uint64_t TraceFile::block_bytes() const {
  return KUTRACE_BLOCK_BYTES + (counters_ != 0 ? KUTRACE_TRAILER_BYTES : 0);
}

Status TraceFile::write_parts(std::uint64_t number, Parts parts) {
  const auto begin = static_cast<off_t>(number * block_bytes());
  for (std::size_t done = 0; done < block_bytes();) {
    const ssize_t written = pwritev(fd_, parts.data(), static_cast<int>(parts.size()),
                                    begin + static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = written < 0 ? errno : EIO;
      // No part of a block may stay: readers take the file's length as a number of whole blocks.
      if (done != 0 && ftruncate(fd_, begin) != 0) return fail(write_error(errno));
      return fail(write_error(error));
    }
    done += static_cast<std::size_t>(written);
    skip(parts, static_cast<std::size_t>(written));
  }
  return {};
}

Status TraceFile::write_words(std::uint64_t number, const std::uint64_t* words, std::uint64_t usec,
                              const std::uint8_t* trailer) {
  const std::uint64_t flags = std::uint64_t{counters_} << KUTRACE_TOP_BYTE_SHIFT;
  const std::array<std::uint64_t, 2> head{words[0], words[1] | flags | usec};
  const std::size_t trailer_bytes = counters_ != 0 ? KUTRACE_TRAILER_BYTES : 0;
  return write_parts(number, {part_of(head.data(), head.size()),
                              part_of(words + head.size(), KUTRACE_BLOCK_WORDS - head.size()),
                              part_of(trailer, trailer_bytes)});
}

Status TraceFile::write_block(std::uint64_t number, const std::uint64_t* words) {
  return write_words(number, words, 0, kNothingCounted.data());
}

Status TraceFile::write_block(std::uint64_t number, const FinishedBlock& block,
                              std::uint64_t usec) {
  const bool counted = block.trailer != nullptr;
  return write_words(number, block.words, usec, counted ? block.trailer : kNothingCounted.data());
}

Status TraceFile::copy_out() {
  std::vector<char> part(kCopyBytes);
  for (off_t at = 0;;) {
    const ssize_t got = pread(fd_, part.data(), part.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(write_error(errno));
    if (got == 0) break;
    const std::string_view bytes(part.data(), static_cast<std::size_t>(got));
    if (const int error = write_all(destination_, bytes); error != 0)
      return fail(write_error(error));
    at += got;
  }
  kept_ = true;
  return {};
}

Status TraceFile::keep() {
  if (destination_ >= 0) return copy_out();
  if (const auto user = invoking_user())
    if (fchown(fd_, user->uid, user->gid) != 0 && errno != EPERM) return fail(write_error(errno));
  if (written_as_ != path_ && std::rename(written_as_.c_str(), path_.c_str()) != 0)
    return fail(write_error(errno));
  kept_ = true;
  return {};
}

void TraceFile::discard() {
  if (!written_as_.empty()) unlink(written_as_.c_str());
  kept_ = true;
}

}  // namespace kutrace
