// SPDX-License-Identifier: BSD-3-Clause
// A file of somebody else, to read. In: a path; out: what is open, of a regular file only. Opening
// anything else may wait for ever, or have an effect.
#pragma once

#include <string>

#include "files/descriptor.h"

namespace kutrace::files {

// Closed if there is none, or it cannot be read.
Descriptor open_regular(const std::string& path);

}  // namespace kutrace::files
