// SPDX-License-Identifier: BSD-3-Clause
// Patterns, as options take them for names: * is any text, ? any one character; a backslash in
// front of *, ?, [, a comma or a backslash takes that as it is. All else stands for itself, so that
// a name fits as it is printed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kutrace {

bool fits(const std::string& pattern, const std::string& text);
bool fits_any(const std::vector<std::string>& patterns, const std::string& text);

// Of a list with commas between them.
std::vector<std::string> split_patterns(const std::string& list);

// A pattern that means one text, or all that begin with it.
struct TextOrBeginning {
  std::string text;
  bool is_beginning = false;
};
// Nothing if it has other signs than an asterisk at its end.
std::optional<TextOrBeginning> text_or_beginning(const std::string& pattern);

// For names of which so many bytes are kept: the pattern that these fit if the whole names did,
// where an asterisk stands at its end only.
std::string pattern_of_cut(const std::string& pattern, std::size_t bytes);

}  // namespace kutrace
