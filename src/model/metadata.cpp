// SPDX-License-Identifier: BSD-3-Clause
// Keys in the order in which people ask for them, then the recorder's own.
#include "model/metadata.h"

namespace kutrace {

std::vector<std::pair<std::string, std::string>> metadata(const TraceInfo& info) {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto add = [&rows](std::string_view key, std::string_view value) {
    if (!value.empty()) rows.emplace_back(key, value);
  };
  add("begin_ns", std::to_string(info.begin));
  add("end_ns", std::to_string(info.end));
  add("wall_usec", std::to_string(info.wall_usec));
  add("host_name", info.host_name);
  add("kernel_version", info.kernel_version);
  add("cpu_model", info.cpu_model);
  add("cpus", std::to_string(info.cpus.size()));
  for (const auto& [key, value] : info.facts)
    if (key != fact::kCounter.text && key != fact::kReading.text) add(key, value);
  return rows;
}

}  // namespace kutrace
