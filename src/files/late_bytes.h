// SPDX-License-Identifier: BSD-3-Clause
// Bytes that take the place of others of a file, many and small. In: places and bytes; out: the
// file with these, in few calls of the system. Who adds bytes says when they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace::files {

class LateBytes {
 public:
  void add(std::uint64_t offset, std::string_view bytes) {
    pieces_.push_back({offset, bytes_.size(), bytes.size()});
    bytes_ += bytes;
  }
  std::size_t count() const { return pieces_.size(); }
  // All of them, into a file that can be read, too; what was added last counts. 0, or the errno of
  // what failed.
  int write(int file);

 private:
  struct Piece {
    std::uint64_t offset = 0;
    std::size_t at = 0;  // in bytes_
    std::size_t size = 0;
    std::uint64_t end() const { return offset + size; }
  };

  std::vector<Piece> pieces_;
  std::string bytes_;
};

}  // namespace kutrace::files
