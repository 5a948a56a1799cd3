// SPDX-License-Identifier: BSD-3-Clause
// A handler that only sets a flag, for every signal whose default is to end the process.
#include "record/run/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace kutrace {

namespace {

std::atomic<int> received_signal{0};
std::atomic<bool> all_is_written{false};

constexpr int kSignalCode = 128;

void on_signal(int number) {
  if (all_is_written) _exit(kSignalCode + number);
  int none = 0;
  received_signal.compare_exchange_strong(none, number);
}

// Not those that tell of a bug in this program, which cannot go on, and not those that do not end
// a process (or cannot be caught).
bool ends_a_process(int number) {
  switch (number) {
    case SIGKILL:
    case SIGSTOP:
    case SIGCHLD:
    case SIGCONT:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGURG:
    case SIGWINCH:
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGTRAP:
    case SIGSYS:
      return false;
    default:
      return true;
  }
}

// Scripts that start a recorder in the background leave SIGINT ignored without meaning it.
bool is_meant_to_be_ignored(int number, const struct sigaction& old) {
  return number != SIGINT && number != SIGTERM && old.sa_handler == SIG_IGN;
}

void set_handler(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    struct sigaction old{};
    if (!ends_a_process(number) || sigaction(number, nullptr, &old) != 0) continue;
    if (!is_meant_to_be_ignored(number, old)) sigaction(number, &action, nullptr);
  }
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  all_is_written = false;
  set_handler(on_signal);
}

StopSignal::~StopSignal() { set_handler(SIG_DFL); }

int StopSignal::received() { return received_signal; }

void StopSignal::nothing_to_lose() { all_is_written = true; }

}  // namespace kutrace
