// SPDX-License-Identifier: BSD-3-Clause
// A program that makes known calls, for `kutrace count` and for tools beside it: reads of known
// sizes, some that fail, sleeps, faults, forks. All of it straight through syscall(): no library
// makes more of it. Prints what only it knows as key=value lines, times by its own clock.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr std::int64_t kSleepNs = 3'000'000;
constexpr std::size_t kLargest = 200'000;

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void say(const char* key, std::int64_t value) { std::printf("%s=%" PRId64 "\n", key, value); }

// Sizes that look like chance, and are the same each time.
std::size_t size_of_read(std::uint64_t i) {
  const std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15;
  return mixed % (i % 3 == 0 ? kLargest : 300);
}

void read_known(int zero, char* buffer, std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) syscall(SYS_read, zero, buffer, size_of_read(i));
}

void fail_known(char* buffer) {
  for (int i = 0; i < 50; ++i) syscall(SYS_read, 999, buffer, 10);
  const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  for (int i = 0; i < 30; ++i) syscall(SYS_read, zero, 16, 10);
  close(zero);
}

void sleep_known() {
  std::int64_t longest = 0;
  std::int64_t all = 0;
  for (int i = 0; i < 20; ++i) {
    const timespec time{0, kSleepNs};
    const std::int64_t begin = now();
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
    const std::int64_t took = now() - begin;
    all += took;
    longest = took > longest ? took : longest;
  }
  say("sleeps_ns", all);
  say("longest_sleep_ns", longest);
}

// Each page is new to this process.
void touch_known(std::size_t pages) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory =
      mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::exit(1);
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  pthread_setname_np(pthread_self(), "toucher");
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  pthread_setname_np(pthread_self(), "counted-main");
}

[[gnu::noinline]] void fork_known(int zero, char* buffer) {
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      pthread_setname_np(pthread_self(), "counted-child");
      read_known(zero, buffer, 7);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
}

}  // namespace

int main() {
  static char buffer[kLargest];
  pthread_setname_np(pthread_self(), "counted-main");
  const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (zero < 0) return 1;
  read_known(zero, buffer, 1000);
  fail_known(buffer);
  sleep_known();
  touch_known(3000);
  fork_known(zero, buffer);
  std::thread other([&] {
    pthread_setname_np(pthread_self(), "counted-thread");
    read_known(zero, buffer, 33);
  });
  other.join();
  return 0;
}
