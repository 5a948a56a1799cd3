// SPDX-License-Identifier: BSD-3-Clause
// Block writes, and the copy for what only takes bytes in turn.
#include "record/blocks/trace_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/text.h"
#include "files/files.h"
#include "kutrace/abi.h"

namespace kutrace::record {

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

TraceFile::TraceFile(files::NewFile file, files::Descriptor nameless)
    : file_(std::move(file)), nameless_(std::move(nameless)) {}

Result<TraceFile> TraceFile::create(const std::string& path) {
  KUTRACE_ASSIGN(files::NewFile file,
                 files::NewFile::create(path, files::NewFile::Purpose::kRecording));
  if (file.is_stream() && isatty(file.fd()) != 0)
    return fail(usage_error("a raw trace is not for a terminal")
                    .with_hint("kutrace record -o - ... | kutrace report - -o out.html"));
  files::Descriptor nameless;
  if (file.is_stream()) {
    KUTRACE_ASSIGN(const int fd, files::nameless_file(files::temporary_folder()));
    nameless = files::Descriptor(fd);
  }
  return TraceFile(std::move(file), std::move(nameless));
}

Error TraceFile::write_error(int error) const {
  return output_error("cannot write to it: " + errno_text(error))
      .with_file(file_.path())
      .with_hint(error == ENOSPC ? "free some space, or record elsewhere with -o" : "");
}

std::uint64_t TraceFile::block_bytes() const {
  return KUTRACE_BLOCK_BYTES + (counters_ != 0 ? KUTRACE_TRAILER_BYTES : 0);
}

// Whoever may write there can cut the file or write to it, and a hole reads as zeros.
Status TraceFile::check_untouched() const {
  struct stat status{};
  if (fstat(fd(), &status) != 0) return fail(write_error(errno));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == size_) return {};
  return fail(output_error("was changed by somebody else while it was recorded: it has " +
                           counted(size, "byte", "bytes") + ", not " + grouped(size_))
                  .with_file(file_.path())
                  .with_hint("what it held beyond its present end is lost"));
}

Status TraceFile::write_parts(std::uint64_t number, Parts parts) {
  KUTRACE_TRY(check_untouched());
  const auto begin = static_cast<off_t>(number * block_bytes());
  for (std::size_t done = 0; done < block_bytes();) {
    const ssize_t written = pwritev(fd(), parts.data(), static_cast<int>(parts.size()),
                                    begin + static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = written < 0 ? errno : EIO;
      // No part of a block may stay: readers take the file's length as a number of whole blocks.
      const auto end = static_cast<off_t>(size_);
      if (begin + static_cast<off_t>(done) > end && ftruncate(fd(), end) != 0)
        return fail(write_error(errno));
      return fail(write_error(error));
    }
    done += static_cast<std::size_t>(written);
    skip(parts, static_cast<std::size_t>(written));
  }
  size_ = std::max(size_, (number + 1) * block_bytes());
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

Status TraceFile::copy_to(const files::NewFile& target) const {
  std::vector<char> part(kCopyBytes);
  for (off_t at = 0;;) {
    const ssize_t got = pread(fd(), part.data(), part.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(write_error(errno));
    if (got == 0) break;
    const std::string_view bytes(part.data(), static_cast<std::size_t>(got));
    if (const int error = files::write_all(target.fd(), bytes); error != 0)
      return fail(write_error(error));
    at += got;
  }
  return {};
}

Status TraceFile::appear() { return file_.take_name(); }

Status TraceFile::keep() { return nameless_ ? copy_to(file_) : file_.take_name(); }

Status TraceFile::save_as(const std::string& path) const {
  KUTRACE_ASSIGN(files::NewFile target,
                 files::NewFile::create(path, files::NewFile::Purpose::kRecording));
  KUTRACE_TRY(copy_to(target));
  return target.take_name();
}

}  // namespace kutrace::record
