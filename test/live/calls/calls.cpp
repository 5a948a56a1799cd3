// SPDX-License-Identifier: BSD-3-Clause
// A program whose one thread makes ten system calls a known number of times, and prints as
// key=value lines its number, how often it made each, and the longest that one took by its own
// clock. Those that block are blocked by another thread.
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

constexpr std::int64_t kMs = 1'000'000;

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void say(const std::string& key, std::int64_t value) {
  std::printf("%s=%" PRId64 "\n", key.c_str(), value);
}

void sleep_ns(std::int64_t ns) {
  const timespec time{0, ns};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

// Does it so often, straight through syscall(): no library makes more of it.
template <typename Act>
void repeat(const char* name, int times, Act act) {
  std::int64_t longest = 0;
  for (int i = 0; i < times; ++i) {
    const std::int64_t begin = now();
    if (act() < 0) {
      std::perror(name);
      std::exit(1);
    }
    longest = std::max(longest, now() - begin);
  }
  say(std::string("count_") + name, times);
  say(std::string("longest_") + name, longest);
}

void worker(int pipe, int file) {
  char byte = 0;
  say("tid", syscall(SYS_gettid));
  repeat("fsync", 8, [&] {
    const long written = syscall(SYS_pwrite64, file, &byte, 1, 0);
    return written < 0 ? written : syscall(SYS_fsync, file);
  });
  say("count_pwrite64", 8);
  repeat("read", 100, [&] { return syscall(SYS_read, pipe, &byte, 1); });
  repeat("clock_nanosleep", 20, [&] {
    const timespec time{0, 2 * kMs};
    return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
  });
  repeat("poll", 10, [&] { return syscall(SYS_poll, nullptr, 0, 3); });
  repeat("getppid", 500, [&] { return syscall(SYS_getppid); });
  repeat("pread64", 64, [&] { return syscall(SYS_pread64, file, &byte, 1, 0); });
  repeat("lseek", 40, [&] { return syscall(SYS_lseek, file, 0, SEEK_SET); });
  repeat("dup", 30, [&] { return syscall(SYS_dup, file); });
  repeat("fdatasync", 3, [&] { return syscall(SYS_fdatasync, file); });
}

}  // namespace

int main(int count, char** arguments) {
  int ends[2];
  if (count != 2 || pipe(ends) != 0) return 2;
  const int file = open(arguments[1], O_RDWR | O_CREAT, 0600);
  if (file < 0) return 2;
  std::thread thread(worker, ends[0], file);
  for (int i = 0; i < 100; ++i) {
    sleep_ns(5 * kMs);
    if (write(ends[1], "x", 1) != 1) return 1;
  }
  thread.join();
  return 0;
}
