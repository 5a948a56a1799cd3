// SPDX-License-Identifier: BSD-3-Clause
// The first PID namespace is known by its number.
#include "record/proc/pid_namespace.h"

#include <signal.h>
#include <sys/stat.h>

#include <cerrno>

namespace kutrace::record {

namespace {

constexpr ino_t kFirstNamespace = 0xeffffffc;  // PROC_PID_INIT_INO of include/linux/proc_ns.h

}  // namespace

bool knows_kernel_pids() {
  struct stat own{};
  return stat("/proc/self/ns/pid", &own) == 0 && own.st_ino == kFirstNamespace;
}

bool is_gone(std::uint32_t thread) {
  return kill(static_cast<pid_t>(thread), 0) != 0 && errno == ESRCH;
}

}  // namespace kutrace::record
