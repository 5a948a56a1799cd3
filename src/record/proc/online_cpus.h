// SPDX-License-Identifier: BSD-3-Clause
// Out: the CPUs that this machine has running, at least one.
#pragma once

#include <vector>

#include "base/units.h"

namespace kutrace::record {

std::vector<CpuId> online_cpus();

}  // namespace kutrace::record
