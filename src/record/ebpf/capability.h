// SPDX-License-Identifier: BSD-3-Clause
// What has to be true before the eBPF source can load, asked in the order in which it fails, each
// failure as one sentence with a next step.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/source/check.h"

namespace kutrace::record {

// Everything needed is there, or the first thing that is not.
Status check_ebpf_usable();

// The same questions with every answer, for `kutrace doctor`.
std::vector<Check> ebpf_checks();

// Whether programs may read kernel memory by helper; a locked-down kernel refuses it.
bool may_read_kernel_memory();

}  // namespace kutrace::record
