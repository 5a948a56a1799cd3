// SPDX-License-Identifier: BSD-3-Clause
// A file that appears whole or not at all: bytes go to a temporary name beside it, which becomes
// its name when everything has arrived. "-" is standard output; devices and pipes are written as
// they are.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kutrace {

class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  // Removes the temporary file unless `finish` was called.
  ~OutputFile();

  // False: it could not be written; `finish` says why.
  bool write(std::string_view text);
  // Must be called last: flushes, closes, renames.
  Status finish();

 private:
  OutputFile() = default;
  void flush();
  Error error(int number) const;

  std::string path_;
  std::string temporary_;  // empty: written in place
  std::string buffer_;
  int descriptor_ = -1;
  int failed_ = 0;  // errno of the first failure
};

}  // namespace kutrace
