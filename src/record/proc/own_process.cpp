// SPDX-License-Identifier: BSD-3-Clause
// The owner of a folder.
#include "record/proc/own_process.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace kutrace::record {

bool is_own_process(Pid process) {
  struct stat folder{};
  const std::string path = "/proc/" + std::to_string(process);
  return process > 0 && stat(path.c_str(), &folder) == 0 && folder.st_uid == geteuid();
}

}  // namespace kutrace::record
