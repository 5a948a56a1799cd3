// SPDX-License-Identifier: BSD-3-Clause
// The tables of kutrace-bench: each stage of the library, and each command, on one raw trace.
#pragma once

#include <string>

#include "base/result.h"

namespace kutrace::bench {

// Prints what each stage costs from bytes to page, as multiples of the first.
Status print_stages(const std::string& path, unsigned rounds);

// Prints time and largest anonymous memory of each command of `program` that reads large traces.
Status print_commands(const std::string& path, const std::string& program, unsigned rounds);

}  // namespace kutrace::bench
