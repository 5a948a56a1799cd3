// SPDX-License-Identifier: BSD-3-Clause
// Labels of threads.
#include "model/thread_label.h"

#include <fmt/format.h>

#include "format/machine_fact.h"

namespace kutrace {

std::string thread_label(const std::string& name, Pid number, const Facts& facts) {
  const std::string host = host_of_thread(number, facts);
  return fmt::format("{}{}{}{}{}", name, name.empty() ? "" : ".", number, host.empty() ? "" : "@",
                     host);
}

std::string thread_label(Pid number, const TraceInfo& info, const NameTable& names) {
  const auto known = info.threads.find(number);
  return thread_label(known == info.threads.end() ? "" : names.text(known->second.name), number,
                      info.facts);
}

std::string_view name_in_label(std::string_view label, Pid number) {
  const std::string ending = fmt::format(".{}", number);
  if (label.ends_with(ending)) return label.substr(0, label.size() - ending.size());
  const std::size_t at = label.rfind(ending + "@");
  return at == std::string_view::npos ? std::string_view() : label.substr(0, at);
}

std::string name_label(const std::string& name) { return name.empty() ? "?" : name; }

}  // namespace kutrace
