// SPDX-License-Identifier: BSD-3-Clause
// Functions of the kernel that stand on a stack because it is looked at.
#pragma once

#include <string_view>

namespace kutrace::record {

// On the way from what happened to the program that sees it.
constexpr bool is_of_tracing(std::string_view function) {
  return function.starts_with("bpf_") || function.starts_with("__bpf_") ||
         function.starts_with("__traceiter_") || function.starts_with("trace_call_bpf");
}

}  // namespace kutrace::record
