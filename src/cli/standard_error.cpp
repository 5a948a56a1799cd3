// SPDX-License-Identifier: BSD-3-Clause
// Writing without minding whether anybody reads. A signal of this thread's own write comes to this
// thread, where it is held back and taken off.
#include "cli/standard_error.h"

#include <signal.h>
#include <unistd.h>

#include <ctime>

#include "files/files.h"

namespace kutrace::cli {

namespace {

sigset_t pipe_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

bool is_pending() {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

NoPipeSignal::NoPipeSignal() : was_pending_(is_pending()) {
  const sigset_t set = pipe_signal();
  sigset_t before;
  was_blocked_ =
      pthread_sigmask(SIG_BLOCK, &set, &before) == 0 && sigismember(&before, SIGPIPE) == 1;
}

NoPipeSignal::~NoPipeSignal() {
  const sigset_t set = pipe_signal();
  const timespec at_once{};
  if (!was_pending_ && is_pending()) sigtimedwait(&set, nullptr, &at_once);
  if (!was_blocked_) pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void write_standard_error(std::string_view text) {
  const NoPipeSignal no_signal;
  files::write_all(STDERR_FILENO, text);
}

}  // namespace kutrace::cli
