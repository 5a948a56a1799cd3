// SPDX-License-Identifier: BSD-3-Clause
// A program that does what recorders get wrong easily, and prints what it did as key=value lines:
// fails page faults on purpose, starts a program from a thread that is not its first, inserts every
// kind of entry. `acts NAME...` does these, without names all; `acts calls` only calls.
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "kutrace/mark.h"
#include "live/stolen_time.h"

namespace {

constexpr int kBarriers = 20;
constexpr int kTouches = 20;
constexpr std::int64_t kSpinNs = 1'000'000;
constexpr std::int64_t kWorkNs = 60'000'000;
constexpr int kCalls = 2000;
// Arguments that nobody else uses.
constexpr long kExecTag = 0x4b54;
constexpr std::uint32_t kInsertTag = 60'137;
constexpr std::uint32_t kWriteTag = 60'149;

volatile sig_atomic_t handled = 0;
char* guarded = nullptr;
std::size_t page_bytes = 0;

std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void say(const char* key, std::int64_t value) {
  std::printf("%s=%" PRId64 "\n", key, value);
  std::fflush(stdout);
}

void spin(std::int64_t ns) {
  const std::int64_t end = clock_ns(CLOCK_MONOTONIC) + ns;
  while (clock_ns(CLOCK_MONOTONIC) < end) {
  }
}

char* fresh_pages(int count) {
  void* memory = mmap(nullptr, static_cast<std::size_t>(count) * page_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::exit(1);
  madvise(memory, static_cast<std::size_t>(count) * page_bytes, MADV_NOHUGEPAGE);
  return static_cast<char*>(memory);
}

// As a garbage collector's write barrier: works, then lets the write happen.
void let_write(int) {
  spin(kSpinNs);
  handled = handled + 1;
  mprotect(guarded, page_bytes, PROT_READ | PROT_WRITE);
}

void barrier() {
  struct sigaction action{};
  action.sa_handler = let_write;
  sigaction(SIGSEGV, &action, nullptr);
  guarded = fresh_pages(1);
  guarded[0] = 1;
  kutrace_mark_a("barr");
  for (int i = 0; i < kBarriers; ++i) {
    mprotect(guarded, page_bytes, PROT_READ);
    *const_cast<volatile char*>(guarded) = static_cast<char>(i);
  }
  kutrace_mark_a("/barr");
  say("barriers", handled);
  say("barrier_spin_ns", kSpinNs);
}

// User code behind faults that are handled.
void touch() {
  char* pages = fresh_pages(kTouches);
  kutrace_mark_a("touch");
  for (int i = 0; i < kTouches; ++i) {
    pages[static_cast<std::size_t>(i) * page_bytes] = 1;
    spin(kSpinNs);
  }
  kutrace_mark_a("/touch");
  say("touches", kTouches);
  say("touch_spin_ns", kSpinNs);
}

void calls() {
  for (int i = 0; i < kCalls; ++i) syscall(SYS_getppid, kExecTag);
}

void start_from_thread() {
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] { execl("/proc/self/exe", "acts", "calls", nullptr); }).join();
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  say("exec_pid", status == 0 ? child : -1);
  say("exec_calls", kCalls);
  say("exec_tag", kExecTag);
}

// Every event number there is, as one word and as a name of two and of three.
void insert() {
  std::array<std::uint64_t, KUTRACE_MAX_WORDS> words{};
  for (std::uint64_t event = 0; event <= KUTRACE_EVENT_MASK; ++event) {
    words[0] = event << KUTRACE_EVENT_SHIFT | kInsertTag;
    words[1] = 0x6f687779626f6e;
    syscall(KUTRACE_SYSCALL, KUTRACE_CMD_INSERT1, words[0]);
    syscall(KUTRACE_SYSCALL, KUTRACE_CMD_INSERTN, words.data());
  }
  say("insert_tag", kInsertTag);
}

// The same by writes, of every length and some that no entry has.
void insert_by_write() {
  std::array<std::uint64_t, KUTRACE_MAX_WORDS + 1> words{};
  for (std::uint64_t event = 0; event <= KUTRACE_EVENT_MASK; ++event) {
    words[0] = event << KUTRACE_EVENT_SHIFT | kWriteTag;
    syscall(SYS_write, KUTRACE_WORD_FD, words[0], 0);
    for (std::size_t bytes = 0; bytes <= sizeof words; bytes += 4)
      syscall(SYS_write, KUTRACE_ENTRY_FD, words.data(), bytes);
    syscall(SYS_write, KUTRACE_ENTRY_FD, 8, sizeof words[0]);
  }
  say("write_tag", kWriteTag);
}

void work() {
  const std::int64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + kWorkNs;
  while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end) {
    usleep(100);
    spin(kSpinNs / 4);
  }
}

bool does(int count, char** names, const std::string& name) {
  bool found = count == 1;
  for (int i = 1; i < count; ++i) found = found || names[i] == name;
  return found;
}

}  // namespace

int main(int count, char** names) {
  page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (count > 1 && std::string(names[1]) == "calls") {
    calls();
    return 0;
  }
  say("pid", getpid());
  const std::int64_t stolen_before = stolen_ns();
  if (does(count, names, "barrier")) barrier();
  if (does(count, names, "touch")) touch();
  if (does(count, names, "exec")) start_from_thread();
  if (does(count, names, "insert")) insert();
  if (does(count, names, "write")) insert_by_write();
  if (does(count, names, "work")) work();
  say("cpu_ns", clock_ns(CLOCK_PROCESS_CPUTIME_ID));
  say("stolen_ns", stolen_since(stolen_before));
  return 0;
}
