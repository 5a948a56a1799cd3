// SPDX-License-Identifier: BSD-3-Clause
// What the running kernel has by name, as its types (BTF) tell: tracepoints, and functions that
// programs may call. One pass over its bytes; libbpf's own way copies and indexes all of them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "base/result.h"

namespace kutrace::record {

class KernelTypes {
 public:
  // The bytes of a BTF file.
  static Result<KernelTypes> parse(std::string bytes);
  // Of this kernel.
  static Result<KernelTypes> read();

  bool has_tracepoint(std::string_view name) const { return tracepoints_.contains(name); }
  // Of functions that begin with "bpf_".
  bool has_function(std::string_view name) const { return functions_.contains(name); }

 private:
  explicit KernelTypes(std::string bytes) : bytes_(std::move(bytes)) {}
  bool index();

  std::string bytes_;                                 // longer than what a string holds in itself
  std::unordered_set<std::string_view> tracepoints_;  // these are parts of it
  std::unordered_set<std::string_view> functions_;
};

}  // namespace kutrace::record
