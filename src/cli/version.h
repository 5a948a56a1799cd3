// SPDX-License-Identifier: BSD-3-Clause
// What `kutrace --version` prints.
#pragma once

#include <string>

namespace kutrace::cli {

// Version, then one line per optional feature: built in or not, and why.
std::string version_text();

}  // namespace kutrace::cli
