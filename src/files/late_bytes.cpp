// SPDX-License-Identifier: BSD-3-Clause
// Pieces that lie close together are put into a part of the file that is read and written at once.
#include "files/late_bytes.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

namespace kutrace::files {

namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;

int read_part(int file, std::uint64_t offset, std::span<char> part) {
  while (!part.empty()) {
    const ssize_t done = pread(file, part.data(), part.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;  // somebody else cut the file
    part = part.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
  return 0;
}

int write_part(int file, std::uint64_t offset, std::span<const char> part) {
  while (!part.empty()) {
    const ssize_t done = pwrite(file, part.data(), part.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    part = part.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
  return 0;
}

}  // namespace

int LateBytes::write(int file) {
  std::ranges::sort(pieces_, {}, &Piece::offset);
  std::string part;
  int failed = 0;
  for (std::size_t first = 0; first < pieces_.size() && failed == 0;) {
    const std::uint64_t begin = pieces_[first].offset;
    std::uint64_t end = pieces_[first].end();
    std::size_t behind = first + 1;
    // One that overlaps belongs here, too, however far it reaches.
    while (behind < pieces_.size() &&
           (pieces_[behind].offset < end || pieces_[behind].end() <= begin + kPiece))
      end = std::max(end, pieces_[behind++].end());
    part.resize(end - begin);
    if (behind > first + 1) failed = read_part(file, begin, part);
    const auto here = std::span(pieces_).subspan(first, behind - first);
    std::ranges::sort(here, {}, &Piece::at);
    for (const Piece& piece : here)
      std::memcpy(part.data() + (piece.offset - begin), bytes_.data() + piece.at, piece.size);
    if (failed == 0) failed = write_part(file, begin, part);
    first = behind;
  }
  pieces_.clear();
  bytes_.clear();
  return failed;
}

}  // namespace kutrace::files
