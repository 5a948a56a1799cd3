// SPDX-License-Identifier: BSD-3-Clause
// Names of C++ functions as people write them. In: a symbol; out: its name, or the symbol itself.
#pragma once

#include <string>

namespace kutrace {

std::string demangled(const char* symbol);
// Whether it can be done at little cost, whoever made the symbol: what it repeats may be as long as
// what it repeats it in.
bool is_soon_demangled(const std::string& symbol);

}  // namespace kutrace
