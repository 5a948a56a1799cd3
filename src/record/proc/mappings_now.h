// SPDX-License-Identifier: BSD-3-Clause
// What all processes have mapped at this moment, as /proc says. Out: process and mapping.
#pragma once

#include <functional>

#include "base/units.h"
#include "format/proc_maps.h"

namespace kutrace::record {

void each_mapping_now(const std::function<void(Pid, ProcMapping)>& take);

}  // namespace kutrace::record
