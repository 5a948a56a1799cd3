// SPDX-License-Identifier: BSD-3-Clause
// Opening the trace that a subcommand was given.
#pragma once

#include <string>

#include "base/result.h"
#include "format/raw_file.h"

namespace kutrace {

// "-" is standard input.
Result<RawFile> open_trace(const std::string& path);

}  // namespace kutrace
