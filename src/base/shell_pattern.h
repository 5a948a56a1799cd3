// SPDX-License-Identifier: BSD-3-Clause
// Shell patterns, as options take them for names: those of fnmatch(3), with *, ? and [...].
#pragma once

#include <string>
#include <vector>

namespace kutrace {

bool fits(const std::string& pattern, const std::string& text);
bool fits_any(const std::vector<std::string>& patterns, const std::string& text);

}  // namespace kutrace
