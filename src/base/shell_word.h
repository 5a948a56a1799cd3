// SPDX-License-Identifier: BSD-3-Clause
// A text as one word of a shell's command, quoted where it must be.
#pragma once

#include <string>
#include <string_view>

namespace kutrace {

std::string shell_word(std::string_view text);

}  // namespace kutrace
