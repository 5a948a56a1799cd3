// SPDX-License-Identifier: BSD-3-Clause
// Capabilities by capset(2), calls by a filter of seccomp(2).
#include "serve/confine.h"

#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace kutrace::serve {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// By what the source, the C library and its threads do. Older names of calls are not there on all
// machines.
constexpr auto kCalls = std::to_array<std::uint32_t>({

    __NR_perf_event_open,
    __NR_ioctl,
    __NR_membarrier,
    __NR_sched_setaffinity,
    __NR_sched_getaffinity,
    __NR_getcpu,
    __NR_sched_yield,
    __NR_accept4,
    __NR_recvfrom,
    __NR_recvmsg,
    __NR_sendto,
    __NR_sendmsg,
    __NR_getsockopt,
    __NR_ppoll,
    __NR_read,
    __NR_pread64,
    __NR_readv,
    __NR_write,
    __NR_writev,
    __NR_pwrite64,
    __NR_openat,
    __NR_close,
    __NR_fcntl,
    __NR_lseek,
    __NR_fstat,
    __NR_newfstatat,
    __NR_statx,
    __NR_faccessat,
    __NR_faccessat2,
    __NR_getdents64,
    __NR_dup3,
    __NR_readlinkat,
    __NR_unlinkat,
    __NR_linkat,
    __NR_fchmod,
    __NR_ftruncate,
    __NR_dup,
    __NR_mmap,
    __NR_munmap,
    __NR_mprotect,
    __NR_mremap,
    __NR_madvise,
    __NR_brk,
    __NR_clone,
    __NR_clone3,
    __NR_set_robust_list,
    __NR_rseq,
    __NR_futex,
    __NR_exit,
    __NR_exit_group,
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    __NR_restart_syscall,
    __NR_tgkill,
    __NR_gettid,
    __NR_getpid,
    __NR_getppid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_uname,
    __NR_sysinfo,
    __NR_prlimit64,
    __NR_getrandom,
    __NR_clock_gettime,
    __NR_clock_nanosleep,
    __NR_nanosleep,
    __NR_gettimeofday,
    __NR_timerfd_create,
    __NR_timerfd_settime,
    __NR_umask,
#if defined(__x86_64__)
    __NR_poll,
    __NR_open,
    __NR_stat,
    __NR_access,
    __NR_readlink,
    __NR_unlink,
    __NR_link,
    __NR_getrlimit,
    __NR_setrlimit,
    __NR_arch_prctl,
    __NR_dup2,
    __NR_time,
#endif
});

Error confine_error(const char* what) {
  return host_error(std::string("cannot give up ") + what + ": " + errno_text(errno));
}

Status drop_capabilities() {
  constexpr std::array kKept{CAP_BPF, CAP_PERFMON};
  const auto is_kept = [&](int capability) {
    return std::ranges::find(kKept, capability) != kKept.end();
  };
  // Without CAP_SETPCAP the set that bounds them stays; so does, then, what they can become.
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    if (!is_kept(capability) && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM)
      return fail(confine_error("capabilities"));
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return fail(confine_error("capabilities"));
  std::array<std::uint32_t, 2> kept{};
  for (const int capability : kKept)
    kept[static_cast<std::size_t>(capability) / 32] |= 1u << (capability % 32);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    sets[i].permitted &= kept[i];
    sets[i].effective = sets[i].permitted;
    sets[i].inheritable = 0;
  }
  if (syscall(SYS_capset, &header, sets.data()) != 0) return fail(confine_error("capabilities"));
  return {};
}

Status filter_calls() {
  std::vector<sock_filter> program;
  const auto add = [&](std::uint16_t code, std::uint32_t value, std::uint8_t if_true = 0,
                       std::uint8_t if_false = 0) {
    program.push_back({code, if_true, if_false, value});
  };
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  // Who is not root may not list types of the kernel's modules, and libbpf gives up where it is
  // refused: there are none.
  add(BPF_JMP | BPF_JEQ | BPF_K, __NR_bpf, 0, 4);
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args));  // low half: both are little-endian
  add(BPF_JMP | BPF_JEQ | BPF_K, BPF_BTF_GET_NEXT_ID, 0, 1);
  add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOENT);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  for (const std::uint32_t call : kCalls) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0)
    return fail(confine_error("calls of the kernel"));
  return {};
}

}  // namespace

Status confine_this_process() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail(confine_error("new privileges"));
  KUTRACE_TRY(drop_capabilities());
  return filter_calls();
}

}  // namespace kutrace::serve
