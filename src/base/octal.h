// SPDX-License-Identifier: BSD-3-Clause
// A byte that is no text, as strace shows it. In: the bytes and where it stands; out: \33, and \033
// before a digit.
#pragma once

#include <string>
#include <string_view>

#include "base/append_format.h"

namespace kutrace {

inline void append_octal(std::string& text, std::string_view bytes, std::size_t at) {
  const bool digit_follows = at + 1 < bytes.size() && bytes[at + 1] >= '0' && bytes[at + 1] <= '9';
  append_format(text, "\\{:0{}o}", static_cast<unsigned char>(bytes[at]), digit_follows ? 3 : 1);
}

}  // namespace kutrace
