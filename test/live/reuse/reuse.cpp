// SPDX-License-Identifier: BSD-3-Clause
// A program that makes two processes after one another under one number, which clone3 allows it to
// choose. The first makes 3 system calls getppid, the second 5. Prints the number, as key=value.
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace {

// The number of the process, or -1.
pid_t make_process(pid_t number, int calls) {
  clone_args args{};
  args.exit_signal = SIGCHLD;
  if (number != 0) {
    args.set_tid = reinterpret_cast<std::uintptr_t>(&number);
    args.set_tid_size = 1;
  }
  const auto made = static_cast<pid_t>(syscall(SYS_clone3, &args, sizeof args));
  if (made != 0) return made;
  for (int i = 0; i < calls; ++i) syscall(SYS_getppid);
  syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

}  // namespace

int main() {
  const pid_t first = make_process(0, 3);
  if (first < 0 || waitpid(first, nullptr, 0) != first) return 1;
  const pid_t second = make_process(first, 5);
  if (second != first || waitpid(second, nullptr, 0) != second) return 1;
  std::printf("pid=%d\n", first);
  return 0;
}
