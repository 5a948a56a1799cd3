// SPDX-License-Identifier: BSD-3-Clause
// The viewer that every page carries: web/dist/page.html, embedded when the program is built.
#pragma once

#include <string_view>

namespace kutrace::emit {

std::string_view page_template();

}  // namespace kutrace::emit
