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

std::string name_label(const std::string& name) { return name.empty() ? "?" : name; }

}  // namespace kutrace
