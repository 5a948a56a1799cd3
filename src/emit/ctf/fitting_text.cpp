// SPDX-License-Identifier: BSD-3-Clause
// Character by character.
#include "emit/ctf/fitting_text.h"

#include "base/text.h"
#include "base/utf8.h"

namespace kutrace::emit {

std::string fitting_text(std::string_view text, std::size_t field) {
  constexpr std::size_t kLongest = 4;  // bytes of a character
  // A byte becomes at least one.
  std::string fitting = printable(text.substr(0, field + kLongest));
  std::size_t end = 0;
  while (end < fitting.size()) {
    const std::size_t length = utf8_length(std::string_view(fitting).substr(end));
    if (end + length >= field) break;
    end += length;
  }
  fitting.resize(end);
  return fitting;
}

}  // namespace kutrace::emit
