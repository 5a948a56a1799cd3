// SPDX-License-Identifier: BSD-3-Clause
// Labels of marks. In: a mark; out: what the program gave it, and which label ends which.
#pragma once

#include <cstddef>
#include <string>

#include "model/names.h"
#include "model/span.h"

namespace kutrace {

// Letters of base 40 that a mark holds itself.
constexpr std::size_t kShortLabel = 6;

// The text after "mark_a=", or the number of a mark_d.
std::string mark_label(const Span& mark, const NameTable& names);

// "/request" ends "request"; where all six letters of base 40 are taken, the last is cut off for
// it.
std::string end_of_label(const std::string& label);

}  // namespace kutrace
