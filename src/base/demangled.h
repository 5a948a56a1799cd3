// SPDX-License-Identifier: BSD-3-Clause
// Names of C++ functions as people write them. In: a symbol; out: the function's name, or the
// symbol itself if it is no C++ name.
#pragma once

#include <string>

namespace kutrace {

std::string demangled(const char* symbol);
// Whether demangling costs little, however hostile the symbol. A symbol can refer to parts of
// itself again and again, so its name may be far longer than it.
bool is_soon_demangled(const std::string& symbol);

}  // namespace kutrace
