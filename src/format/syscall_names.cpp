// SPDX-License-Identifier: BSD-3-Clause
#include "format/syscall_names.h"

namespace kutrace {

namespace {

constexpr NumberedName kX86[] = {
#define KUTRACE_SYSCALL_NAME(number, name) {number, #name},
#include "kutrace/syscalls_x86_64.def"
};
constexpr NumberedName kX86In32Bits[] = {
#define KUTRACE_SYSCALL32_NAME(number, name) {number, #name},
#include "kutrace/syscalls_x86_64.def"
};
constexpr NumberedName kArm64[] = {
#define KUTRACE_SYSCALL_NAME(number, name) {number, #name},
#include "kutrace/syscalls_arm64.def"
};

}  // namespace

std::span<const NumberedName> syscall_names(std::string_view machine) {
  if (machine == "x86_64") return kX86;
  if (machine == "aarch64") return kArm64;
  return {};
}

std::span<const NumberedName> syscall32_names(std::string_view machine) {
  if (machine == "x86_64") return kX86In32Bits;
  return {};
}

}  // namespace kutrace
