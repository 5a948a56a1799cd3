// SPDX-License-Identifier: BSD-3-Clause
// One handler for every signal whose default is to end the process. Who sent it decides: somebody
// else, or the kernel on behalf of what this process does.
#include "record/run/stop_signal.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string_view>

#include "files/files.h"
#include "files/unfinished_files.h"

namespace kutrace::record {

namespace {

constexpr int kInputUnusable = 3;
constexpr std::string_view kInputShrank =
    "kutrace: error: a file became shorter, or its disk unreadable, while it was read\n";

std::atomic<int> received_signal{0};
std::atomic<int> received_signals{0};
std::atomic<bool> is_asked{false};  // a StopSignal lives, and not all is written yet
int living = 0;                     // StopSignals
std::array<struct sigaction, NSIG> before{};
std::array<bool, NSIG> was_ignored{};             // by the caller
sigset_t was_blocked{};                           // likewise
std::array<std::atomic<bool>, NSIG> have_come{};  // and were not passed on
std::atomic<int> command_fd{-1};                  // which they are passed on to

bool tells_of_a_fault(int number) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGTRAP:
    case SIGSYS:
      return true;
    default:
      return false;
  }
}

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
      return false;
    default:
      return true;
  }
}

// The kernel speaks for what this process did, or the process itself does, as abort() does.
bool is_own(const siginfo_t& info) { return info.si_code > 0 || info.si_pid == getpid(); }

// As if there were no handler; one that was there before, a sanitizer's, gets its turn.
void end_by(int number, bool comes_again) {
  files::remove_unfinished_files();
  sigaction(number, &before[static_cast<std::size_t>(number)], nullptr);
  if (!comes_again) raise(number);
}

// A mapped file has no byte where one is read: that is nobody's bug.
[[noreturn]] void input_shrank() {
  files::remove_unfinished_files();
  files::write_all(STDERR_FILENO, kInputShrank);
  _exit(kInputUnusable);
}

bool is_passed_on(int number) { return number == SIGTERM || number == SIGHUP; }
bool is_from_keyboard(int number) { return number == SIGINT || number == SIGQUIT; }

void pass_on() {
  const int fd = command_fd;
  if (fd < 0) return;
  for (const int number : {SIGTERM, SIGHUP})
    if (have_come[static_cast<std::size_t>(number)].exchange(false))
      syscall(SYS_pidfd_send_signal, fd, number, nullptr, 0);
}

// What was interrupted may yet ask for its own error.
class KeptErrno {
 public:
  KeptErrno() : kept_(errno) {}
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;
  ~KeptErrno() { errno = kept_; }

 private:
  int kept_;
};

void on_signal(int number, siginfo_t* info, void* /*context*/) {
  const KeptErrno kept;
  const bool own = is_own(*info);
  if (own && number == SIGXFSZ) return;  // write(2) says EFBIG
  if (own && number == SIGBUS && info->si_code == BUS_ADRERR) input_shrank();
  if (own && tells_of_a_fault(number)) {
    end_by(number, info->si_code > 0 && number != SIGTRAP && number != SIGSYS);
  } else if (command_fd >= 0 && (is_passed_on(number) || is_from_keyboard(number))) {
    have_come[static_cast<std::size_t>(number)] = true;
    pass_on();
  } else if (is_asked) {
    have_come[static_cast<std::size_t>(number)] = true;
    pass_on();  // if there is a command by now
    int none = 0;
    received_signal.compare_exchange_strong(none, number);
    ++received_signals;
  } else {
    end_by(number, false);
  }
}

enum class Ignored { kStay, kEndRecordings };

bool ignores(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
}

void note_callers_wish() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now{};
    was_ignored[static_cast<std::size_t>(number)] =
        sigaction(number, nullptr, &now) == 0 && ignores(now);
  }
  pthread_sigmask(SIG_SETMASK, nullptr, &was_blocked);
}

// Scripts that start a recorder in the background leave SIGINT ignored without meaning it.
bool is_meant(int number, Ignored ignored) {
  return ignored == Ignored::kStay || (number != SIGINT && number != SIGTERM);
}

void set_handlers(Ignored ignored) {
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    struct sigaction old{};
    if (!ends_a_process(number) || sigaction(number, nullptr, &old) != 0) continue;
    if ((old.sa_flags & SA_SIGINFO) != 0 && old.sa_sigaction == on_signal) continue;
    const bool is_ignored = ignores(old);
    if (is_ignored && is_meant(number, ignored)) continue;
    if (is_ignored) old.sa_handler = SIG_DFL;
    before[static_cast<std::size_t>(number)] = old;
    sigaction(number, &action, nullptr);
  }
}

}  // namespace

void end_orderly_on_signals() {
  note_callers_wish();
  signal(SIGCHLD, SIG_DFL);
  set_handlers(Ignored::kStay);
}

StopSignal::StopSignal() {
  if (living++ != 0) return;
  received_signal = 0;
  for (std::atomic<bool>& waits : have_come) waits = false;
  is_asked = true;
  set_handlers(Ignored::kEndRecordings);
}

StopSignal::~StopSignal() {
  if (--living == 0) is_asked = false;
}

int StopSignal::received() { return received_signal; }

int StopSignal::number_received() { return received_signals; }

void StopSignal::nothing_to_lose() {
  if (living == 1) is_asked = false;
}

PassOnSignals::PassOnSignals(int pidfd) {
  command_fd = pidfd;
  pass_on();
}

PassOnSignals::~PassOnSignals() { command_fd = -1; }

void give_back_signals() {
  for (int number = 1; number < NSIG; ++number)
    signal(number, was_ignored[static_cast<std::size_t>(number)] ? SIG_IGN : SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &was_blocked, nullptr);
}

}  // namespace kutrace::record
