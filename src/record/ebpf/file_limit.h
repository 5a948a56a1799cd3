// SPDX-License-Identifier: BSD-3-Clause
// As many open files as this process may have, for as long as the object lives: the programs of a
// source and their links are files. The limit that was there before is the command's, too.
#pragma once

#include <sys/resource.h>

namespace kutrace::record {

class FileLimit {
 public:
  FileLimit() {
    if (getrlimit(RLIMIT_NOFILE, &before_) != 0) return;
    rlimit raised = before_;
    raised.rlim_cur = raised.rlim_max;
    setrlimit(RLIMIT_NOFILE, &raised);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace kutrace::record
