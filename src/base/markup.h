// SPDX-License-Identifier: BSD-3-Clause
// Text inside markup, HTML or SVG. In: text that is safe to show; out: the same, which can end no
// element and no attribute.
#pragma once

#include <string>
#include <string_view>

namespace kutrace {

std::string markup_escaped(std::string_view text);

}  // namespace kutrace
