// SPDX-License-Identifier: BSD-3-Clause
// What a forked process does to become the command: everything between fork and exec that all
// commands have in common. In: the command's words; out: errno, or nobody.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace kutrace::record {

// As fork(), but signals wait in the new process until prepare_command: the handlers that it still
// has are not the command's.
pid_t fork_command();

// Signals, niceness and the limit of open files as the caller had them, and the user as a command
// is to have him; 0 or errno.
int prepare_command();

// Returns only if it cannot be executed: errno.
int exec_command(const std::vector<std::string>& command);

// As shells have it, of what exec_command returned: 127 not found, 126 not executable.
int exec_failure_code(int error);

// Exit code, 128 + signal if a signal ended it; of what wait(2) says.
int shell_status(int status);

}  // namespace kutrace::record
