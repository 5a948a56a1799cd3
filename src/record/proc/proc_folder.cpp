// SPDX-License-Identifier: BSD-3-Clause
// Names to numbers. An entry that goes meanwhile is left out.
#include "record/proc/proc_folder.h"

#include <filesystem>

#include "base/number_text.h"

namespace kutrace::record {

namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<Pid> numbers_in(const std::string& folder) {
  std::vector<Pid> numbers;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (const auto pid = parse_number<Pid>(it->path().filename().string())) numbers.push_back(*pid);
  return numbers;
}

}  // namespace kutrace::record
