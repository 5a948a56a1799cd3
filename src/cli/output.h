// SPDX-License-Identifier: BSD-3-Clause
// Results to standard output, in large pieces, with every write's failure noticed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kutrace::cli {

class StandardOutput {
 public:
  void line(std::string_view text);
  void write(std::string_view text);
  // What somebody waits for; says whether everything so far arrived.
  Status flush() {
    write_out();
    return failed_;
  }
  // Must be called last.
  Status finish() { return flush(); }

 private:
  void write_out();

  std::string buffer_;
  bool checked_ = false;  // that it is no file which this process reads
  Status failed_;         // the first failure
};

}  // namespace kutrace::cli
