// SPDX-License-Identifier: BSD-3-Clause
// Facts of the trace, see default_title.h.
#include "model/default_title.h"

namespace kutrace {

std::string recorded_title(const TraceInfo& info) {
  if (std::string title = info.facts.get(fact::kTitle).value_or(""); !title.empty()) return title;
  const std::string line = info.facts.get(fact::kCommandLine).value_or("");
  const std::size_t command = line.find(" -- ");
  return command == line.npos ? line : line.substr(command + 4);
}

std::string default_title(const TraceInfo& info) {
  if (std::string title = recorded_title(info); !title.empty()) return title;
  return info.host_name.empty() ? "a trace" : info.host_name;
}

}  // namespace kutrace
