// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a file that only this process can open. In: bytes; out: a path, for libraries that ask
// for one.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/result.h"

namespace kutrace {

class MemoryFile {
 public:
  // Copies the bytes; `name` is what errors call them. Fails if the kernel has no room for them.
  static Result<MemoryFile> create(std::span<const std::byte> bytes, const std::string& name);
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile();

  // Valid as long as this object lives.
  std::string path() const;

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace kutrace
