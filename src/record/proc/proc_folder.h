// SPDX-License-Identifier: BSD-3-Clause
// Folders of /proc that have one entry per process or thread.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace kutrace::record {

// The entries of the folder that are numbers; none if it cannot be read.
std::vector<Pid> numbers_in(const std::string& folder);

}  // namespace kutrace::record
