// SPDX-License-Identifier: BSD-3-Clause
// By fmt's library, which has one formatter compiled.
#include "base/append_format.h"

#include <fmt/format.h>

namespace kutrace {

void append_formatted(std::string& text, fmt::string_view form, fmt::format_args values) {
  text += fmt::vformat(form, values);
}

}  // namespace kutrace
