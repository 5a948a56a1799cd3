// SPDX-License-Identifier: BSD-3-Clause
// functions WHAT [N]: calls its own functions in ways that are known. WHAT is tree (N times root,
// which calls left, which calls leaf twice, and right), deep (N in one another), jump (N times out
// of three by longjmp), throw (N times out of three by an exception), threads (N of them, each 100
// trees), together (N threads, which call each of sixteen functions at the same time), brief (N
// calls that do nothing in one that sleeps), signal (a handler on a stack of its own calls a
// function, N times), array (N calls with an array of varying length), interrupted (calls of one
// that does nothing until N signals of a timer are handled; prints how many were), thrown (the
// same, but each handler leaves by longjmp; then N trees), vfork (N children with its memory, which
// call leaf; it does so behind each), template (N calls of twice<int>).
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define APART __attribute__((noinline, noclone))

namespace lab {

volatile int sink = 0;
jmp_buf place;

APART void leaf() { sink = sink + getppid(); }

APART void left() {
  leaf();
  leaf();
  sink = sink + 1;
}

APART void right() { sink = sink + 1; }

APART void root() {
  left();
  right();
  sink = sink + 1;
}

APART int deep(int more) {
  if (more <= 1) return sink;
  return deep(more - 1) + sink + 1;
}

APART void jump_inner() {
  sink = sink + 1;
  longjmp(place, 1);
}

APART void jump_outer() {
  jump_inner();
  sink = sink + 1;
}

APART void jump_base() {
  if (setjmp(place) == 0) jump_outer();
  sink = sink + 1;
}

APART void throw_inner() {
  sink = sink + 1;
  throw std::runtime_error("planned");
}

APART void throw_outer() {
  throw_inner();
  sink = sink + 1;
}

APART void throw_base() {
  try {
    throw_outer();
  } catch (const std::runtime_error&) {
    sink = sink + 1;
  }
}

APART void brief() { sink = sink + 1; }

APART void nap(long ms) {
  const timespec time{0, ms * 1'000'000};
  nanosleep(&time, nullptr);
  sink = sink + 1;
}

APART void many_brief(int count) {
  for (int i = 0; i < count; ++i) brief();
  nap(400);
  sink = sink + 1;
}

APART void in_handler() { sink = sink + 1; }

APART void on_signal(int /*signal*/) {
  in_handler();
  sink = sink + 1;
}

APART void raising(int count) {
  for (int i = 0; i < count; ++i) raise(SIGUSR1);
  sink = sink + 1;
}

volatile sig_atomic_t handled = 0;

APART void on_timer(int /*signal*/) {
  in_handler();
  handled = handled + 1;
}

APART void on_timer_out(int signal) {
  on_timer(signal);
  siglongjmp(place, 1);
}

void tick(long us) {
  const itimerval time{{0, us}, {0, us}};
  setitimer(ITIMER_REAL, &time, nullptr);
}

APART void interrupted(int count) {
  while (handled < count) brief();
  sink = sink + 1;
}

template <typename Number>
APART Number twice(Number number) {
  sink = sink + 1;
  return number * 2;
}

APART void with_array(int bytes) {
  auto* const array = static_cast<char*>(alloca(static_cast<std::size_t>(bytes)));
  std::memset(array, bytes, static_cast<std::size_t>(bytes));
  leaf();
  sink = sink + array[bytes - 1];
}

#define FIRST_CALL(number) \
  APART void first_call_##number() { sink = sink + number; }
#define FOUR_FIRST_CALLS(tens) \
  FIRST_CALL(tens##0) FIRST_CALL(tens##1) FIRST_CALL(tens##2) FIRST_CALL(tens##3)
FOUR_FIRST_CALLS(1)
FOUR_FIRST_CALLS(2)
FOUR_FIRST_CALLS(3)
FOUR_FIRST_CALLS(4)

constexpr void (*kFirstCalls[])() = {first_call_10, first_call_11, first_call_12, first_call_13,
                                     first_call_20, first_call_21, first_call_22, first_call_23,
                                     first_call_30, first_call_31, first_call_32, first_call_33,
                                     first_call_40, first_call_41, first_call_42, first_call_43};

// Each waits for the others before each of them.
void call_together(std::atomic<int>& arrived, int threads) {
  int expected = 0;
  for (const auto function : kFirstCalls) {
    ++arrived;
    expected += threads;
    while (arrived < expected) {
    }
    function();
  }
}

}  // namespace lab

// Begins with an instruction that the kernel cannot probe.
#if defined(__x86_64__)
extern "C" void locked();
__asm__(
    ".text\n"
    ".globl locked\n"
    ".type locked, @function\n"
    "locked: lock addl $0, (%rsp)\n"
    "ret\n"
    ".size locked, . - locked\n");
#else
extern "C" void locked() {}
#endif

int main(int argc, char** argv) {
  using namespace lab;
  locked();
  const std::string what = argc > 1 ? argv[1] : "tree";
  const int count = argc > 2 ? std::atoi(argv[2]) : 1;
  if (what == "tree") {
    for (int i = 0; i < count; ++i) root();
  } else if (what == "deep") {
    deep(count);
  } else if (what == "jump") {
    for (int i = 0; i < count; ++i) jump_base();
  } else if (what == "throw") {
    for (int i = 0; i < count; ++i) throw_base();
  } else if (what == "threads") {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([] {
        for (int tree = 0; tree < 100; ++tree) root();
      });
    }
    for (std::thread& thread : threads) thread.join();
  } else if (what == "together") {
    std::atomic<int> arrived = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back([&] { call_together(arrived, count); });
    for (std::thread& thread : threads) thread.join();
  } else if (what == "brief") {
    many_brief(count);
  } else if (what == "signal") {
    std::vector<char> room(65536);
    stack_t stack{};
    stack.ss_sp = room.data();
    stack.ss_size = room.size();
    sigaltstack(&stack, nullptr);
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, nullptr);
    raising(count);
  } else if (what == "interrupted") {
    signal(SIGALRM, on_timer);
    tick(200);
    interrupted(count);
    tick(0);
    std::printf("%d\n", static_cast<int>(handled));
  } else if (what == "vfork") {
    for (int i = 0; i < count; ++i) {
      const pid_t child = vfork();
      if (child == 0) {
        leaf();
        _exit(0);
      }
      waitpid(child, nullptr, 0);
      leaf();
    }
  } else if (what == "thrown") {
    root();
    signal(SIGALRM, on_timer_out);
    tick(200);
    sigsetjmp(place, 1);
    if (handled < count) interrupted(count);
    tick(0);
    for (int i = 0; i < count; ++i) root();
  } else if (what == "array") {
    for (int i = 1; i <= count; ++i) with_array(64 * i);
  } else if (what == "template") {
    for (int i = 0; i < count; ++i) sink = sink + twice<int>(i);
  }
  return 0;
}
