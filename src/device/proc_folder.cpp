// SPDX-License-Identifier: BSD-3-Clause
// Names to numbers. An entry that goes meanwhile is left out.
#include "device/proc_folder.h"

#include <charconv>
#include <filesystem>
#include <optional>

namespace kutrace {

namespace {

namespace fs = std::filesystem;

std::optional<Pid> as_pid(const std::string& text) {
  Pid pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return pid;
}

}  // namespace

std::vector<Pid> numbers_in(const std::string& folder) {
  std::vector<Pid> numbers;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (const auto pid = as_pid(it->path().filename().string())) numbers.push_back(*pid);
  return numbers;
}

}  // namespace kutrace
