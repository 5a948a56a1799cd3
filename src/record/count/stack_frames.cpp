// SPDX-License-Identifier: BSD-3-Clause
// Addresses by /proc/kallsyms, which is read once.
#include "record/count/stack_frames.h"

#include <bpf/bpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"
#include "files/small_file.h"
#include "format/kallsyms.h"
#include "record/ebpf/bpf/count_layout.h"
#include "record/proc/online_cpus.h"
#include "record/proc/tracing_functions.h"

namespace kutrace::record {

namespace {

const Kallsyms& kernel_symbols() {
  static const Kallsyms symbols(files::read_text("/proc/kallsyms"));
  return symbols;
}

}  // namespace

Status StackFrames::follow_programs() {
  programs_.emplace();
  return programs_->start(online_cpus());
}

std::string StackFrames::kernel_function_at(std::uint64_t address) {
  std::string& name = names_[address];
  if (!name.empty()) return name;
  const auto function = kernel_symbols().find(address);
  name = function ? function->name : fmt::format("{:#x}", address);
  return name;
}

template <typename NameOf>
std::vector<std::string> StackFrames::frames(std::int64_t stack, const NameOf& name_of) const {
  if (stack == -EEXIST || stack == -ENOMEM) return {"[no room for the stack]"};
  std::array<std::uint64_t, KUTRACE_COUNT_FRAMES> addresses{};
  const auto number = static_cast<std::uint32_t>(stack);
  if (stack >= 0 && bpf_map_lookup_elem(map_, &number, addresses.data()) != 0)
    return {"[stack lost]"};
  std::vector<std::string> frames;
  for (const std::uint64_t address : addresses) {
    if (address == 0) break;
    frames.push_back(printable(name_of(address)));
  }
  if (frames.empty()) frames.emplace_back("[no stack]");
  return frames;
}

std::vector<std::string> StackFrames::kernel(std::int64_t stack) {
  std::vector<std::string> all =
      frames(stack, [this](std::uint64_t address) { return kernel_function_at(address); });
  const auto last = std::ranges::find_if(all.rbegin(), all.rend(), is_of_tracing);
  all.erase(all.begin(), last.base());
  return all;
}

std::vector<std::string> StackFrames::user(std::int64_t stack, Pid process) {
  return frames(stack, [&](std::uint64_t address) {
    return programs_ ? programs_->function_at(process, address) : fmt::format("{:#x}", address);
  });
}

}  // namespace kutrace::record
