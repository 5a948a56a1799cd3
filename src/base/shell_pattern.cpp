// SPDX-License-Identifier: BSD-3-Clause
// Matching patterns, back to the last asterisk where the rest does not fit.
#include "base/shell_pattern.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/utf8.h"

namespace kutrace {

namespace {

constexpr std::string_view kSpecial = "*?[,\\";

// Behind the character that begins there.
std::size_t behind_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && continues_character(text[at])) ++at;
  return at;
}

bool is_escape(const std::string& pattern, std::size_t in) {
  return in + 1 < pattern.size() && pattern[in] == '\\' &&
         kSpecial.find(pattern[in + 1]) != kSpecial.npos;
}

}  // namespace

bool fits(const std::string& pattern, const std::string& text) {
  constexpr std::size_t kNone = std::string::npos;
  std::size_t in = 0;          // of the pattern
  std::size_t at = 0;          // of the text
  std::size_t behind = kNone;  // the last asterisk of the pattern
  std::size_t from = 0;        // of the text: what is behind that asterisk is looked for there
  while (at < text.size()) {
    const bool escapes = is_escape(pattern, in);
    if (!escapes && in < pattern.size() && pattern[in] == '*') {
      behind = ++in;
      from = at;
    } else if (!escapes && in < pattern.size() && pattern[in] == '?') {
      ++in;
      at = behind_character(text, at);
    } else if (in < pattern.size() && pattern[escapes ? in + 1 : in] == text[at]) {
      in += escapes ? 2 : 1;
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

std::vector<std::string> split_patterns(const std::string& list) {
  std::vector<std::string> patterns(1);
  for (std::size_t in = 0; in < list.size(); ++in) {
    if (list[in] == ',') {
      patterns.emplace_back();
      continue;
    }
    if (is_escape(list, in)) patterns.back() += list[in++];
    patterns.back() += list[in];
  }
  return patterns;
}

std::optional<TextOrBeginning> text_or_beginning(const std::string& pattern) {
  TextOrBeginning means;
  for (std::size_t in = 0; in < pattern.size(); ++in) {
    if (is_escape(pattern, in)) {
      ++in;
    } else if (pattern[in] == '*' && in + 1 == pattern.size()) {
      means.is_beginning = true;
      break;
    } else if (pattern[in] == '*' || pattern[in] == '?') {
      return std::nullopt;
    }
    means.text += pattern[in];
  }
  return means;
}

std::string pattern_of_cut(const std::string& pattern, std::size_t bytes) {
  std::string cut;
  for (std::size_t in = 0; in < pattern.size() && bytes > 0; ++in, --bytes) {
    if (is_escape(pattern, in)) cut += pattern[in++];
    cut += pattern[in];
  }
  return cut;
}

}  // namespace kutrace
