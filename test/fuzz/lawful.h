// SPDX-License-Identifier: BSD-3-Clause
// Promises of every raw file, whatever its bytes: an error that says enough, or spans for which the
// law holds.
#pragma once

#include "base/error.h"
#include "format/raw_file.h"

namespace kutrace::test {

void must_explain(const Error& error);

// Rebuilds the file. Whether that was possible.
bool must_be_lawful(const RawFile& file);

}  // namespace kutrace::test
