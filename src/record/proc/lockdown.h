// SPDX-License-Identifier: BSD-3-Clause
// How far the kernel keeps root from its memory and from code that nobody signed.
#pragma once

#include <string>

namespace kutrace::record {

// "none", "integrity", "confidentiality", or "off" where the kernel has no lockdown.
std::string lockdown_mode();

}  // namespace kutrace::record
