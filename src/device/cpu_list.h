// SPDX-License-Identifier: BSD-3-Clause
// Which CPUs this machine has running.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace kutrace {

// "0-3,8" -> 0 1 2 3 8. Text that is no such list gives the part before the fault.
std::vector<CpuId> parse_cpu_list(const std::string& text);
std::vector<CpuId> online_cpus();

}  // namespace kutrace
