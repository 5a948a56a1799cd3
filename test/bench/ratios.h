// SPDX-License-Identifier: BSD-3-Clause
// The yardstick of what reading costs: CPU time of a command divided by that of `gzip -6 -c` of the
// same raw trace in the same round. It holds on any machine, and on a busy one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace kutrace::bench {

struct NamedTrace {
  std::string name;
  std::string path;
};

// Prints a line for each trace, then the trace on which `report` costs most.
Status print_ratios(const std::vector<NamedTrace>& traces, const std::string& program,
                    unsigned rounds);

}  // namespace kutrace::bench
