// SPDX-License-Identifier: BSD-3-Clause
// A trace's name, see default_title.h.
#include "emit/default_title.h"

namespace kutrace {

std::string default_title(const TraceInfo& info) {
  for (const auto& [key, value] : info.meta) {
    if (key != "cmdline") continue;
    const std::size_t command = value.find(" -- ");
    return command == value.npos ? value : value.substr(command + 4);
  }
  return info.host_name.empty() ? "a trace" : info.host_name;
}

}  // namespace kutrace
