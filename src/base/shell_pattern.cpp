// SPDX-License-Identifier: BSD-3-Clause
// Patterns as fnmatch takes them.
#include "base/shell_pattern.h"

#include <fnmatch.h>

#include <algorithm>

namespace kutrace {

bool fits(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool fits_any(const std::vector<std::string>& patterns, const std::string& text) {
  return std::ranges::any_of(patterns,
                             [&](const std::string& pattern) { return fits(pattern, text); });
}

}  // namespace kutrace
