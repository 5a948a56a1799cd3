// SPDX-License-Identifier: BSD-3-Clause
// Addresses by /proc/kallsyms, which is read once.
#include "record/count/stack_frames.h"

#include <bpf/bpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "files/small_file.h"
#include "record/ebpf/bpf/count_layout.h"

namespace kutrace::record {

namespace {

const Kallsyms& kernel_symbols() {
  static const Kallsyms symbols(files::read_text("/proc/kallsyms"));
  return symbols;
}

// On the way from what happened to the program that counts it.
bool is_of_tracing(const std::string& function) {
  return function.starts_with("bpf_") || function.starts_with("__bpf_") ||
         function.starts_with("__traceiter_") || function.starts_with("trace_call_bpf");
}

}  // namespace

std::string StackFrames::function_at(std::uint64_t address) {
  std::string& name = names_[address];
  if (!name.empty()) return name;
  const auto function = kernel_symbols().find(address);
  name = function ? function->name : fmt::format("{:#x}", address);
  return name;
}

std::vector<std::string> StackFrames::kernel(std::int64_t stack) {
  if (stack < 0) return {stack == -EFAULT ? "[no stack]" : "[no room for the stack]"};
  std::array<std::uint64_t, KUTRACE_COUNT_FRAMES> addresses{};
  const auto number = static_cast<std::uint32_t>(stack);
  if (bpf_map_lookup_elem(map_, &number, addresses.data()) != 0) return {"[stack lost]"};
  std::vector<std::string> frames;
  for (const std::uint64_t address : addresses) {
    if (address == 0) break;
    frames.push_back(function_at(address));
  }
  const auto last = std::ranges::find_if(frames.rbegin(), frames.rend(), is_of_tracing);
  frames.erase(frames.begin(), last.base());
  if (frames.empty()) frames.emplace_back("[no stack]");
  return frames;
}

}  // namespace kutrace::record
