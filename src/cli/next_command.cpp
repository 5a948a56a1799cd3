// SPDX-License-Identifier: BSD-3-Clause
// Putting a trace's name into a hint.
#include "cli/next_command.h"

#include <string_view>

#include "base/shell_word.h"
#include "base/text.h"

namespace kutrace::cli {

std::string about_file(std::string text, const std::string& trace) {
  constexpr std::string_view kFile = "FILE";
  const std::size_t at = text.find(kFile);
  const bool is_file = trace != "-" && printable(trace) == trace;
  if (at != text.npos && is_file) text.replace(at, kFile.size(), shell_word(trace));
  return text;
}

std::string lists_marks(const std::string& trace) {
  return about_file("kutrace dump --stage spans FILE | grep ' mark ' lists the marks", trace);
}

}  // namespace kutrace::cli
