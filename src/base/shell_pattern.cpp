// SPDX-License-Identifier: BSD-3-Clause
// Matching patterns, back to the last asterisk where the rest does not fit.
#include "base/shell_pattern.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/utf8.h"

namespace kutrace {

namespace {

constexpr std::string_view kSpecial = "*?[\\";

// Behind the character that begins there.
std::size_t behind_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && continues_character(text[at])) ++at;
  return at;
}

}  // namespace

bool fits(const std::string& pattern, const std::string& text) {
  constexpr std::size_t kNone = std::string::npos;
  std::size_t in = 0;          // of the pattern
  std::size_t at = 0;          // of the text
  std::size_t behind = kNone;  // the last asterisk of the pattern
  std::size_t from = 0;        // of the text: what is behind that asterisk is looked for there
  while (at < text.size()) {
    const bool is_escape = in + 1 < pattern.size() && pattern[in] == '\\' &&
                           kSpecial.find(pattern[in + 1]) != kSpecial.npos;
    if (!is_escape && in < pattern.size() && pattern[in] == '*') {
      behind = ++in;
      from = at;
    } else if (!is_escape && in < pattern.size() && pattern[in] == '?') {
      ++in;
      at = behind_character(text, at);
    } else if (in < pattern.size() && pattern[is_escape ? in + 1 : in] == text[at]) {
      in += is_escape ? 2 : 1;
      ++at;
    } else if (behind != kNone) {
      in = behind;
      at = from = behind_character(text, from);
    } else {
      return false;
    }
  }
  while (in < pattern.size() && pattern[in] == '*') ++in;
  return in == pattern.size();
}

bool fits_any(const std::vector<std::string>& patterns, const std::string& text) {
  return std::ranges::any_of(patterns,
                             [&](const std::string& pattern) { return fits(pattern, text); });
}

}  // namespace kutrace
