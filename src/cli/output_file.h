// SPDX-License-Identifier: BSD-3-Clause
// A result that appears whole or not at all: text in, and a private file under its name when
// everything has arrived. "-" is standard output; devices and pipes are written as they are. What
// the process reads, and what another one records, is never replaced (files/new_file.h).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "files/new_file.h"

namespace kutrace::cli {

class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);

  // False: it could not be written; `finish` says why.
  bool write(std::string_view text);
  // Must be called last: flushes, and gives the file its name.
  Status finish();

 private:
  explicit OutputFile(files::NewFile file) : file_(std::move(file)) {}
  void flush();

  files::NewFile file_;
  std::string buffer_;
  int failed_ = 0;  // errno of the first failure
};

}  // namespace kutrace::cli
