// SPDX-License-Identifier: BSD-3-Clause
// A progress bar on standard error, for people: only on a terminal, only for work of more than a
// second, gone when done.
#pragma once

#include <chrono>

namespace kutrace::cli {

class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `share` of the work is done, 0..1. `pass` of `passes` over the input is going on.
  void show(double share);
  void set_passes(unsigned passes) { passes_ = passes; }
  void next_pass() { ++pass_; }

 private:
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_{};
  unsigned passes_ = 1;
  unsigned pass_ = 0;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace kutrace::cli
