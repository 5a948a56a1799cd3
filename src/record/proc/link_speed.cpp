// SPDX-License-Identifier: BSD-3-Clause
// One file for each device.
#include "record/proc/link_speed.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/number_text.h"
#include "files/small_file.h"

namespace kutrace::record {

std::optional<std::uint32_t> link_speed(const std::string& folder) {
  std::uint32_t fastest = 0;
  std::error_code error;
  for (const auto& device : std::filesystem::directory_iterator(folder, error)) {
    // -1, or no answer: it is not known, or there is no carrier.
    const auto speed =
        parse_number<std::uint32_t>(files::read_line((device.path() / "speed").string()));
    fastest = std::max(fastest, speed.value_or(0));
  }
  return fastest == 0 ? std::nullopt : std::optional(fastest);
}

}  // namespace kutrace::record
