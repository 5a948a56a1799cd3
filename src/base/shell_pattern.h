// SPDX-License-Identifier: BSD-3-Clause
// Patterns, as options take them for names: * is any text, ? any one character; a backslash in
// front of *, ?, [ or a backslash takes that as it is. All else stands for itself, so that a name
// fits as it is printed.
#pragma once

#include <string>
#include <vector>

namespace kutrace {

bool fits(const std::string& pattern, const std::string& text);
bool fits_any(const std::vector<std::string>& patterns, const std::string& text);

}  // namespace kutrace
