// SPDX-License-Identifier: BSD-3-Clause
// Why the kernel does not take what the recorder needs: an errno in, what to do about it out.
#pragma once

#include <cerrno>
#include <new>
#include <sstream>
#include <string>
#include <utility>

#include "base/result.h"

namespace kutrace::record {

inline bool is_lack_of_files(int error) { return error == EMFILE || error == ENFILE; }

// Programs, maps and hooks are files.
inline Error kernel_error(const std::string& what, int error) {
  Error failure = host_error(what + ": " + errno_text(error));
  return is_lack_of_files(error) ? std::move(failure).with_hint("ulimit -n 1024") : failure;
}

constexpr const char* kAskDoctor = "kutrace doctor";
constexpr const char* kAskRoot =
    "run it with sudo, for CAP_SYS_ADMIN; if that fails too, a policy (seccomp, lockdown) forbids "
    "it";

// With libbpf's words, a cause for each line. Without memory there is nothing to be said here.
// libbpf makes a map to find out whether the kernel has maps of constants, takes a lack of files
// for a no, and omits them.
inline Error load_error(int error, const std::string& words = {}) {
  if (error == ENOMEM) throw std::bad_alloc();
  if (words.find("is referenced but wasn't created") != std::string::npos) error = EMFILE;
  Error failure = kernel_error("the recorder's programs do not load", error);
  if (is_lack_of_files(error)) return failure;
  std::istringstream lines(words);
  for (std::string line; std::getline(lines, line);) failure.causes.push_back(line);
  return std::move(failure).with_hint(error == EPERM ? kAskRoot : kAskDoctor);
}

}  // namespace kutrace::record
