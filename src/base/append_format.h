// SPDX-License-Identifier: BSD-3-Clause
// Formats to the end of a text. fmt::format_to would compile all of fmt's formatting into each file
// that calls it.
#pragma once

#include <fmt/core.h>

#include <string>

namespace kutrace {

void append_formatted(std::string& text, fmt::string_view form, fmt::format_args values);

template <typename... Values>
void append_format(std::string& text, fmt::format_string<Values...> form, Values&&... values) {
  append_formatted(text, form, fmt::make_format_args(values...));
}

}  // namespace kutrace
