// SPDX-License-Identifier: BSD-3-Clause
// Patterns for names of functions. A C++ name has parameters behind it, and that of a template also
// the type that it returns in front: int ns::add<int>(int, int). A pattern fits with each of these
// and without.
#pragma once

#include <string>

namespace kutrace {

bool fits_function(const std::string& pattern, const std::string& name);

}  // namespace kutrace
