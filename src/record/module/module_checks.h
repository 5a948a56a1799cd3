// SPDX-License-Identifier: BSD-3-Clause
// What has to be true before the module can record, each answer with a next step, for `doctor`.
#pragma once

#include <vector>

#include "record/source/check.h"

namespace kutrace::record {

// In the order in which they fail; those that make no sense after a failure are left out.
std::vector<Check> module_checks();

}  // namespace kutrace::record
