// SPDX-License-Identifier: BSD-3-Clause
// How many CPUs readers believe that a machine has: more are damage. Linux has at most 8192, and
// traces of several machines have all of theirs.
#pragma once

#include "base/units.h"

namespace kutrace {

constexpr CpuId kMostCpus = 0x10000;

}  // namespace kutrace
