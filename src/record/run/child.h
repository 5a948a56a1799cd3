// SPDX-License-Identifier: BSD-3-Clause
// The recorded command: started as the invoking user, watched through a descriptor.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kutrace::record {

// Whether there is such a command for the user who called sudo, or who called us. If not, `code` is
// what a shell's exit status would be.
Status find_command(const std::string& name, int& code);

class Child {
 public:
  // If the command cannot be executed, `failure_code` is what a shell would exit with: 127 or 126.
  // to_stderr: what it prints goes to standard error, because standard output is the trace's.
  static Result<Child> start(const std::vector<std::string>& command, bool to_stderr,
                             int& failure_code);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }
  int fd() const { return fd_; }  // becomes readable when the command has ended
  // Exit code, 128 + signal if a signal ended it; none while it runs.
  std::optional<int> poll_status();
  int wait_status();

 private:
  Child(pid_t pid, int fd) : pid_(pid), fd_(fd) {}
  void ask(int how);

  pid_t pid_;
  int fd_;
  std::optional<int> status_;
};

}  // namespace kutrace::record
