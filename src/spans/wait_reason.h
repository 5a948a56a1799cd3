// SPDX-License-Identifier: BSD-3-Clause
// Why a thread waited. In: names of what woke it and of what it was in; out: a letter of the WAIT
// table.
#pragma once

#include <string_view>
#include <vector>

#include "model/names.h"

namespace kutrace::spans {

class WaitReasons {
 public:
  explicit WaitReasons(const NameTable& names) : names_(names) {}

  // Letter by the routine on top of the waker's stack; 0 if that says nothing.
  char by_waker(NameId routine);
  // Letter by the call that the waiting thread was blocked in; 0 if that says nothing.
  char by_waiter(NameId routine);
  // Whether who waits in this call may wait for a pipe that who wakes it writes to or opens. Two
  // who write, or open files, may as well wait for one another's lock of a file or folder.
  bool may_be_pipe(NameId waker, NameId waiter);
  // Letter by a waker that wakes for reasons of any sort (who closes a pipe); 0 if it is none.
  // Counts only where nothing else tells.
  char by_any_waker(NameId routine);
  // Letter by the name of a thread of the kernel that wakes; 0 if that says nothing.
  char by_kernel_thread(NameId thread);
  // Whether the name is that of a worker of the kernel, for traces that do not tell of whom it is.
  bool is_worker(NameId thread);

 private:
  using Classify = char (*)(std::string_view);
  char cached(std::vector<char>& cache, NameId routine, Classify classify);

  const NameTable& names_;
  std::vector<char> by_waker_;  // by name; 0 not asked yet, 1 no reason
  std::vector<char> by_waiter_;
  std::vector<char> piping_;
};

}  // namespace kutrace::spans
