// SPDX-License-Identifier: BSD-3-Clause
// Facts of the trace, see default_title.h.
#include "model/default_title.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kutrace {

namespace {

std::string fact(const TraceInfo& info, std::string_view key) {
  const auto found = std::ranges::find(info.meta, key, &std::pair<std::string, std::string>::first);
  return found == info.meta.end() ? std::string() : found->second;
}

}  // namespace

std::string recorded_title(const TraceInfo& info) {
  if (std::string title = fact(info, "title"); !title.empty()) return title;
  const std::string line = fact(info, "cmdline");
  const std::size_t command = line.find(" -- ");
  return command == line.npos ? line : line.substr(command + 4);
}

std::string default_title(const TraceInfo& info) {
  if (std::string title = recorded_title(info); !title.empty()) return title;
  return info.host_name.empty() ? "a trace" : info.host_name;
}

}  // namespace kutrace
