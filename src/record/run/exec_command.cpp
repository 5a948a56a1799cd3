// SPDX-License-Identifier: BSD-3-Clause
// The last steps of a process before it is another program.
#include "record/run/exec_command.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "files/invoking_user.h"
#include "record/ebpf/file_limit.h"
#include "record/run/stop_signal.h"
#include "record/run/urgency.h"

namespace kutrace::record {

namespace {

constexpr int kSignalCode = 128;

}  // namespace

pid_t fork_command() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  if (pid != 0) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

int prepare_command() {
  give_back_signals();
  be_as_urgent_as_caller();
  allow_files_as_caller();
  const auto user = files::invoking_user();
  return !user || files::become(*user) ? 0 : EPERM;
}

int exec_command(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return errno;
}

int exec_failure_code(int error) { return error == ENOENT ? 127 : 126; }

int shell_status(int status) {
  return WIFSIGNALED(status) ? kSignalCode + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace kutrace::record
