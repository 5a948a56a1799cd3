// SPDX-License-Identifier: BSD-3-Clause
// The caller's limit, kept from the first time that it is raised.
#include "record/ebpf/file_limit.h"

#include <sys/resource.h>

#include <optional>

namespace kutrace::record {

namespace {

std::optional<rlimit> of_caller;

}  // namespace

void allow_many_files() {
  rlimit limit{};
  if (of_caller || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  of_caller = limit;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void allow_files_as_caller() {
  if (of_caller) setrlimit(RLIMIT_NOFILE, &*of_caller);
}

}  // namespace kutrace::record
