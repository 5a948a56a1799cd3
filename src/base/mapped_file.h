// SPDX-License-Identifier: BSD-3-Clause
// The bytes of an input: a file mapped read-only, or a pipe or file of /proc read to its end.
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
  // path "-" is standard input. The rules hold for what cannot be mapped.
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
