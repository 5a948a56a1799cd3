// SPDX-License-Identifier: BSD-3-Clause
// A handler that only sets a flag.
#include "device/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace kutrace {

namespace {

std::atomic<int> received_signal{0};

// What is on disk stays: a growing file is readable at any time.
void on_signal(int number) {
  if (received_signal.exchange(number) != 0) _exit(128 + number);
}

void set_handler(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  set_handler(on_signal);
}

StopSignal::~StopSignal() { set_handler(SIG_DFL); }

int StopSignal::received() { return received_signal; }

}  // namespace kutrace
