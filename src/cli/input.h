// SPDX-License-Identifier: BSD-3-Clause
// Opening the raw trace that a subcommand was given; those that need spans use trace_input.h.
#pragma once

#include <string>

#include "base/result.h"
#include "format/raw_file.h"

namespace kutrace::cli {

// "-" is standard input; packed files are unpacked. A file of spans is an error that says so.
Result<RawFile> open_trace(const std::string& path);

}  // namespace kutrace::cli
