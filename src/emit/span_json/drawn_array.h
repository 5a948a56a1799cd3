// SPDX-License-Identifier: BSD-3-Clause
// JSON that a trace carries along: what was drawn by hand, and saved views. In: a fact's text,
// which a file may have set to anything; out: the same array, fit for a page's script.
#pragma once

#include <string>
#include <string_view>

namespace kutrace::emit {

// Empty: it is not exactly one array, or one of nothing.
std::string drawn_array(std::string_view text);

}  // namespace kutrace::emit
