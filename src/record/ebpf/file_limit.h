// SPDX-License-Identifier: BSD-3-Clause
// As many open files as this process may have, for as long as the object lives: the programs of a
// source and their links are files. The limit that was there before is the command's, too.
#pragma once

#include <sys/resource.h>

namespace kutrace::record {

class FileLimit {
 public:
  FileLimit() {
    is_known_ = getrlimit(RLIMIT_NOFILE, &before_) == 0;
    if (!is_known_) return;
    rlimit raised = before_;
    raised.rlim_cur = raised.rlim_max;
    setrlimit(RLIMIT_NOFILE, &raised);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    if (is_known_) setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  rlimit before_{};
  bool is_known_ = false;
};

}  // namespace kutrace::record
