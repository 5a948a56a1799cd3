// SPDX-License-Identifier: BSD-3-Clause
// Capabilities, BTF, and the load of the smallest program of the kind that is used.
#include "record/ebpf/capability.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "base/number_text.h"
#include "record/ebpf/empty_programs.h"
#include "record/proc/lockdown.h"

namespace kutrace::record {

namespace {

constexpr unsigned kCapSysAdmin = 21;
constexpr unsigned kCapPerfmon = 38;
constexpr unsigned kCapBpf = 39;

std::uint64_t effective_capabilities() {
  constexpr std::string_view kField = "CapEff:\t";
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(kField)) continue;
    return parse_number<std::uint64_t>(line.substr(kField.size()), 16).value_or(0);
  }
  return 0;
}

bool has_capability(std::uint64_t set, unsigned number) { return (set >> number & 1) != 0; }

Status check_capabilities() {
  const std::uint64_t set = effective_capabilities();
  if (has_capability(set, kCapSysAdmin)) return {};
  if (has_capability(set, kCapBpf) && has_capability(set, kCapPerfmon)) return {};
  const std::string missing = has_capability(set, kCapBpf)       ? "CAP_PERFMON is"
                              : has_capability(set, kCapPerfmon) ? "CAP_BPF is"
                                                                 : "CAP_BPF and CAP_PERFMON are";
  return fail(host_error("no permission to record: " + missing + " missing")
                  .with_hint("run it with sudo; or once as root: "
                             "setcap cap_bpf,cap_perfmon+ep $(command -v kutrace); or let root run "
                             "kutrace daemon, through which users record their own processes"));
}

Status check_btf() {
  if (access("/sys/kernel/btf/vmlinux", R_OK) == 0) return {};
  return fail(host_error("this kernel does not describe its types: /sys/kernel/btf/vmlinux is "
                         "missing, so no program can be attached to its tracepoints")
                  .with_hint("use a kernel built with CONFIG_DEBUG_INFO_BTF=y, as distributions "
                             "have since 2020"));
}

constexpr bpf_insn move_zero(std::uint8_t reg) {
  return {.code = BPF_ALU64 | BPF_MOV | BPF_K,
          .dst_reg = static_cast<std::uint8_t>(reg & 15),
          .src_reg = 0,
          .off = 0,
          .imm = 0};
}
constexpr bpf_insn kExit = {
    .code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0};

// What is wrong with loading a program, as errno; 0 if it loads.
int error_of(int fd) {
  if (fd < 0) return -fd;
  close(fd);
  return 0;
}

Status check_program() {
  switch (const int error = error_of(load_empty("sys_enter"))) {
    case 0:
      return {};
    case EPERM:
    case EACCES:
      return fail(host_error("the kernel refuses tracing programs: " + errno_text(error))
                      .with_hint("a security policy, a container or lockdown (" + lockdown_mode() +
                                 ") forbids bpf(); allow it or run outside the container"));
    case EINVAL:
      return fail(host_error("this kernel cannot attach typed programs to tracepoints")
                      .with_hint("it needs Linux 5.15 or newer with CONFIG_BPF_SYSCALL, "
                                 "CONFIG_BPF_EVENTS and CONFIG_DEBUG_INFO_BTF"));
    case ENOSYS:
      return fail(host_error("this kernel has no bpf() system call")
                      .with_hint("use a kernel built with CONFIG_BPF_SYSCALL=y"));
    default:
      return fail(
          host_error("a two-instruction tracing program does not load: " + errno_text(error)));
  }
}

}  // namespace

bool may_read_kernel_memory() {
  bpf_insn frame = move_zero(1);
  frame.code = BPF_ALU64 | BPF_MOV | BPF_X;
  frame.src_reg = BPF_REG_10;
  bpf_insn below = move_zero(1);
  below.code = BPF_ALU64 | BPF_ADD | BPF_K;
  below.imm = -8;
  bpf_insn bytes = move_zero(2);
  bytes.imm = 8;
  bpf_insn call = kExit;
  call.code = BPF_JMP | BPF_CALL;
  call.imm = BPF_FUNC_probe_read_kernel;
  const std::array code{frame, below, bytes, move_zero(3), call, move_zero(0), kExit};
  // All programs of tracepoints may call the same; this kind needs none of the kernel's types.
  return error_of(bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "kutrace_probe", "Dual BSD/GPL",
                                code.data(), code.size(), nullptr)) == 0;
}

std::vector<Check> ebpf_checks() {
  return {{"permission (CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN)", check_capabilities()},
          {"kernel types (BTF)", check_btf()},
          {"tracing programs load", check_program()}};
}

Status check_ebpf_usable() {
  KUTRACE_TRY(check_capabilities());
  KUTRACE_TRY(check_btf());
  return check_program();
}

}  // namespace kutrace::record
