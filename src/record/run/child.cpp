// SPDX-License-Identifier: BSD-3-Clause
// fork and exec, with the child's failure reported through a pipe that exec closes.
#include "record/run/child.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "files/invoking_user.h"
#include "files/small_file.h"
#include "record/run/exec_command.h"

namespace kutrace::record {

namespace {

constexpr int kSignalCode = 128;

[[noreturn]] void give_up(int report, int error) {
  const ssize_t written = write(report, &error, sizeof error);
  _exit(written == sizeof error ? exec_failure_code(error) : 126);
}

[[noreturn]] void run_command(const std::vector<std::string>& command, bool to_stderr, int report) {
  if (to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) give_up(report, errno);
  if (const int error = prepare_command(); error != 0) give_up(report, error);
  give_up(report, exec_command(command));
}

Error cannot_run(const std::string& name, int error) {
  return host_error("cannot run '" + name + "': " + errno_text(error))
      .with_hint(error == ENOENT ? "check the name, or give its path" : "");
}

// 0, or why it cannot be run.
int try_program(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return EACCES;
  return faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

}  // namespace

// As execvp looks for it.
Status find_command(const std::string& name, int& code) {
  const files::AsInvokingUser user;
  int error = ENOENT;
  if (name.find('/') != std::string::npos) {
    error = try_program(name);
  } else if (!name.empty()) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
    for (std::string folder; error != 0 && std::getline(folders, folder, ':');) {
      const int here = try_program((folder.empty() ? "." : folder) + "/" + name);
      if (here == 0 || here == EACCES) error = here;
    }
  }
  if (error == 0) return {};
  code = exec_failure_code(error);
  return fail(cannot_run(name, error));
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      fd_(std::exchange(other.fd_, -1)),
      status_(other.status_) {}

Child::~Child() {
  if (fd_ >= 0) close(fd_);
}

Result<Child> Child::start(const std::vector<std::string>& command, bool to_stderr,
                           int& failure_code) {
  failure_code = exec_failure_code(0);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0)
    return fail(host_error("cannot make a pipe: " + errno_text(errno)));
  const pid_t pid = fork_command();
  if (pid < 0) return fail(host_error("cannot start the command: " + errno_text(errno)));
  if (pid == 0) run_command(command, to_stderr, report[1]);
  close(report[1]);
  int error = 0;
  const ssize_t got = files::read_up_to(report[0], &error, sizeof error);
  close(report[0]);
  if (got == sizeof error) {
    waitpid(pid, nullptr, 0);
    failure_code = exec_failure_code(error);
    return fail(cannot_run(command[0], error));
  }
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return fail(host_error("cannot watch the command: " + errno_text(errno)));
  return Child(pid, fd);
}

// A status that somebody else took is not known, but it has ended.
void Child::ask(int how) {
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, how);
  if (ended == pid_) status_ = shell_status(status);
  if (ended < 0 && errno != EINTR) status_ = kSignalCode;
}

std::optional<int> Child::poll_status() {
  if (!status_) ask(WNOHANG);
  return status_;
}

int Child::wait_status() {
  while (!status_) ask(0);
  return *status_;
}

}  // namespace kutrace::record
