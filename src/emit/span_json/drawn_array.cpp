// SPDX-License-Identifier: BSD-3-Clause
// The scanner finds where a value ends; here is what else JSON asks of it.
#include "emit/span_json/drawn_array.h"

#include <algorithm>

#include "base/json_scanner.h"

namespace kutrace::emit {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool take_digits(std::string_view& text) {
  const std::size_t before = text.size();
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  return text.size() < before;
}

// Of what a scanner takes for a number.
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool begins_with_zero = text.starts_with('0');
  const std::size_t before = text.size();
  if (!take_digits(text) || (begins_with_zero && before - text.size() > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (!text.starts_with('e') && !text.starts_with('E')) return text.empty();
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return take_digits(text) && text.empty();
}

// As it stands between its quotes. \' is one of a page's script.
bool is_string(std::string_view raw) {
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (static_cast<unsigned char>(raw[at]) < 0x20) return false;
    if (raw[at] != '\\') continue;
    ++at;  // a string does not end with one of these
    if (raw[at] == 'u') {
      const std::string_view digits = raw.substr(at + 1, 4);
      if (digits.size() != 4 || !std::ranges::all_of(digits, is_hex)) return false;
    } else if (std::string_view("\"\\/bfnrt'").find(raw[at]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool take_string(JsonScanner& scanner) {
  const std::string_view raw = scanner.raw_string();
  return !scanner.failed() && is_string(raw);
}

bool take_value(JsonScanner& scanner, int depth);  // NOLINT(misc-no-recursion)

// Up to `end`, behind what began them. No deeper than the scanner goes.
bool take_members(JsonScanner& scanner, char end, int depth) {  // NOLINT(misc-no-recursion)
  if (depth > JsonScanner::kMaxDepth) return false;
  if (scanner.take(end)) return true;
  do {
    if (end == '}' && !(take_string(scanner) && scanner.take(':'))) return false;
    if (!take_value(scanner, depth)) return false;
  } while (scanner.take(','));
  return scanner.take(end);
}

bool take_value(JsonScanner& scanner, int depth) {  // NOLINT(misc-no-recursion)
  if (scanner.take('[')) return take_members(scanner, ']', depth + 1);
  if (scanner.take('{')) return take_members(scanner, '}', depth + 1);
  if (scanner.peek() == '"') return take_string(scanner);
  const std::string_view word = scanner.skip_value();
  return !scanner.failed() &&
         (word == "true" || word == "false" || word == "null" || is_number(word));
}

bool is_array(std::string_view text) {
  JsonScanner scanner(text);
  return scanner.peek() == '[' && take_value(scanner, 0) && scanner.at_end();
}

bool holds_something(std::string_view array) {
  return array.find_first_not_of("[] \n\r\t") != std::string_view::npos;
}

}  // namespace

std::string drawn_array(std::string_view text) {
  std::string out;
  if (!is_array(text) || !holds_something(text)) return out;
  // Both stand in strings only.
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_escape = text[at] == '\\';
    if (is_escape) ++at;
    if (text[at] == '\'') {
      out += "\\u0027";
    } else if (text[at] == '<') {
      out += "\\u003c";
    } else {
      if (is_escape) out += '\\';
      out += text[at];
    }
  }
  return out;
}

}  // namespace kutrace::emit
