// SPDX-License-Identifier: BSD-3-Clause
// The smallest programs on a tracepoint: to ask whether the kernel takes them, and what they cost.
#pragma once

#include <vector>

#include "base/result.h"

namespace kutrace::record {

// Loads a program that only returns. Returns its descriptor, or -errno.
int load_empty(const char* tracepoint);

// Empty programs on system call entry and return: what every tracer of this kind costs at least.
class EmptyPrograms {
 public:
  static Result<EmptyPrograms> attach();
  EmptyPrograms(EmptyPrograms&& other) noexcept = default;
  EmptyPrograms& operator=(EmptyPrograms&&) = delete;
  ~EmptyPrograms();

 private:
  EmptyPrograms() = default;
  std::vector<int> fds_;
};

}  // namespace kutrace::record
