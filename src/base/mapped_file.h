// SPDX-License-Identifier: BSD-3-Clause
// The bytes of an input. In: a path; out: a file mapped read-only, or the bytes of a pipe or a file
// of /proc, read to its end.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stream.h"

namespace kutrace {

class MappedFile {
 public:
  // The path "-" is standard input. `rules` hold for what cannot be mapped. Fails if the file
  // cannot be opened or read, or is longer than the rules allow.
  static Result<MappedFile> open(const std::string& path, const StreamRules& rules = {});
  static MappedFile from_bytes(std::vector<std::byte> bytes, std::string name);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

 private:
  MappedFile() = default;
  void swap(MappedFile& other) noexcept;

  std::string name_;
  std::vector<std::byte> owned_;
  std::span<const std::byte> bytes_;
  bool mapped_ = false;
};

}  // namespace kutrace
