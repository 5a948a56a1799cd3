// SPDX-License-Identifier: BSD-3-Clause
// Names, releases, and the kernel's grace period.
#include "record/ebpf/programs.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <future>
#include <utility>

namespace kutrace::record {

namespace {

constexpr std::string_view kHeldForm = "held_";
constexpr std::size_t kMostWords = 4096;

std::string& kept_words() {
  static std::string words;
  return words;
}

__attribute__((format(printf, 2, 0))) int keep_words(enum libbpf_print_level level,
                                                     const char* format, va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  char line[512];
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  if (length > 0 && kept_words().size() < kMostWords) kept_words() += line;
  return length;
}

// Needs CAP_SYS_ADMIN.
bool may_list_types() {
  std::uint32_t first = 0;
  return bpf_btf_get_next_id(0, &first) == 0 || errno != EPERM;
}

// From now on this thread is told that no module has types.
void hide_types_of_modules() {
  std::array code{
      sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 3, __NR_bpf},
      // The low half: all machines that are supported are little-endian.
      sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args)},
      sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, BPF_BTF_GET_NEXT_ID},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOENT},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog filter{static_cast<unsigned short>(code.size()), code.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

}  // namespace

// libbpf searches the modules for types and functions that vmlinux lacks, though none that the
// programs name can be there. Old versions give up if that is forbidden. A filter cannot be removed
// from its thread, so the thread ends.
int load_object(bpf_object* object) {
  if (may_list_types()) return bpf_object__load(object);
  return std::async(std::launch::async,
                    [object] {
                      hide_types_of_modules();
                      return bpf_object__load(object);
                    })
      .get();
}

void keep_libbpf_words() {
  kept_words().clear();
  libbpf_set_print(keep_words);
}

const std::string& libbpf_words() { return kept_words(); }

bool may_call(const KernelTypes& types, const char* function, unsigned since_major,
              unsigned since_minor) {
  utsname machine{};
  unsigned major = 0;
  unsigned minor = 0;
  uname(&machine);
  return std::sscanf(machine.release, "%u.%u", &major, &minor) == 2 &&
         std::pair(major, minor) >= std::pair(since_major, since_minor) &&
         types.has_function(function);
}

bool must_hold_cpu(const KernelTypes& types) {
  return may_call(types, "bpf_preempt_disable", 7, 0);
}

bool is_held_form(std::string_view program) { return program.starts_with(kHeldForm); }

std::string_view name_of(const bpf_program* program) {
  std::string_view name = bpf_program__name(program);
  if (is_held_form(name)) name.remove_prefix(kHeldForm.size());
  return name;
}

// A grace period of the kernel ends when every program that ran at its begin has ended.
void wait_for_programs() {
  constexpr unsigned kLongEnough_us = 20'000;  // where the kernel refuses to wait for one
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0) usleep(kLongEnough_us);
}

}  // namespace kutrace::record
