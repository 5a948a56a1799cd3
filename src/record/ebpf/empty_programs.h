// SPDX-License-Identifier: BSD-3-Clause
// The smallest programs on a tracepoint: to ask whether the kernel takes them, and what they cost.
#pragma once

#include <linux/bpf.h>

#include <span>
#include <vector>

#include "base/result.h"

namespace kutrace::record {

// Loads these instructions as a program of this tracepoint. Returns its descriptor, or -errno.
int load_on_tracepoint(const char* tracepoint, std::span<const bpf_insn> code);

// Loads a program that only returns.
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
