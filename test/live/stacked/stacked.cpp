// SPDX-License-Identifier: BSD-3-Clause
// Known chains of calls: spins in one, sleeps in another, then runs with registers that are no
// frame pointers. In: milliseconds to spin, how many sleeps, how many calls without frames. Out:
// its process.
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace {

volatile std::uint64_t sink;

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// What libc's functions would do, without their frames. `frame`: what stands in the frame pointer.
long sleep_with_frame(const timespec& time, std::uint64_t frame) {
  long result = SYS_nanosleep;
  asm volatile("push %%rbp\n\tmov %[frame], %%rbp\n\tsyscall\n\tpop %%rbp"
               : "+a"(result)
               : "D"(&time), "S"(0), [frame] "r"(frame)
               : "rcx", "r11", "memory");
  return result;
}

}  // namespace

// Names that a stack can show: neither inlined nor hidden.
#define KEPT __attribute__((noinline, used))
extern "C" {

KEPT void chain_spin(int ms) {
  const std::int64_t end = now_ns() + std::int64_t{ms} * 1'000'000;
  while (now_ns() < end)
    for (int i = 0; i < 100'000; ++i) sink = sink + 1;
  sink = sink + 1;
}
KEPT void chain_work(int ms) {
  chain_spin(ms);
  sink = sink + 1;
}

KEPT void chain_sleep() {
  const timespec time{0, 2'000'000};
  long result = SYS_nanosleep;
  asm volatile("syscall" : "+a"(result) : "D"(&time), "S"(0) : "rcx", "r11", "memory");
  sink = sink + 1;
}
KEPT void chain_wait() {
  chain_sleep();
  sink = sink + 1;
}

}  // extern "C"

int main(int count, char** words) {
  if (count != 4) return 2;
  std::printf("pid=%d\n", getpid());
  chain_work(std::atoi(words[1]));
  for (int i = 0; i < std::atoi(words[2]); ++i) chain_wait();
  // Of nothing, of the kernel, of no canonical address, odd, of the top of all, of itself, of no
  // memory: to read that is a page fault.
  std::uint64_t itself[2] = {};
  itself[0] = reinterpret_cast<std::uint64_t>(itself);
  itself[1] = 0x41414141;
  const std::uint64_t frames[] = {
      0,     0xffff'ffff'8000'0000, 0x8000'0000'0000, 0x1001, ~0ull, itself[0], itself[0] + 1, 1,
      0x1000};
  const timespec time{0, 100'000};
  for (int i = 0; i < std::atoi(words[3]); ++i)
    sleep_with_frame(time, frames[static_cast<unsigned>(i) % std::size(frames)]);
  return 0;
}
