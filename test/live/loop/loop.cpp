// SPDX-License-Identifier: BSD-3-Clause
// loop N: makes N system calls that do next to nothing; prints the ns of CPU time that they took.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

long long cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
  const long calls = argc == 2 ? std::atol(argv[1]) : 0;
  const long long begin = cpu_ns();
  for (long i = 0; i < calls; ++i) syscall(SYS_getppid);
  std::printf("%lld\n", cpu_ns() - begin);
}
