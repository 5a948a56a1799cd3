// SPDX-License-Identifier: BSD-3-Clause
// Labels of marks. In: a mark; out: what the program gave it, and which label ends which.
#pragma once

#include <cstddef>
#include <string>

#include "model/names.h"
#include "model/span.h"

namespace kutrace {

// Of a label in base 40, at most.
constexpr std::size_t kLabelCharacters = 6;

// The text after "mark_a=", or the number of a mark_d.
std::string mark_label(const Span& mark, const NameTable& names);

// "/request" ends "request"; of a label as long as labels can be, as much of it as can be written.
std::string end_of_label(const std::string& label);

}  // namespace kutrace
