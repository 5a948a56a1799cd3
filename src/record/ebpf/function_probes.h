// SPDX-License-Identifier: BSD-3-Clause
// Probes on functions of programs. In: the two BPF programs and the functions; out: links, which
// hold the probes. One call of the kernel takes all functions of a file since 6.6; before, each
// takes two.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "record/ebpf/kernel_types.h"
#include "record/ebpf/programs.h"
#include "record/source/probed_function.h"

namespace kutrace::record {

// Whether a file's functions can be given at once; the programs must then be prepared for it.
bool can_probe_at_once(const KernelTypes& types);
void prepare_to_probe_at_once(bpf_program* program);

struct ProbePrograms {
  bpf_program* enter = nullptr;
  bpf_program* leave = nullptr;
};

class FunctionProbes {
 public:
  FunctionProbes() = default;
  FunctionProbes(const FunctionProbes&) = delete;
  FunctionProbes& operator=(const FunctionProbes&) = delete;
  ~FunctionProbes() { clear(); }

  // The functions of a file stand together. Their numbers count from KUTRACE_FIRST_PROBED_FUNCTION.
  Status attach(const ProbePrograms& programs, std::span<const ProbedFunction> functions,
                bool at_once);
  void clear();
  // Functions that the kernel refused, and why.
  const std::vector<std::string>& refused() const { return refused_; }

 private:
  // These fail if none of the functions can be probed.
  Status attach_each(const ProbePrograms& programs, std::span<const ProbedFunction> functions,
                     std::size_t first);
  Status attach_most(const ProbePrograms& programs, std::span<const ProbedFunction> functions,
                     std::size_t first);
  // 0, or the error for which none is.
  int attach_together(const ProbePrograms& programs, std::span<const ProbedFunction> functions,
                      std::size_t first);
  Status refuse(const ProbedFunction& function, int error);

  std::vector<int> fds_;
  std::vector<LinkPtr> links_;
  std::vector<std::string> refused_;
};

}  // namespace kutrace::record
