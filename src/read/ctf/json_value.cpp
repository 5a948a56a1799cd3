// SPDX-License-Identifier: BSD-3-Clause
// Going through the text again for each question, which is short.
#include "read/ctf/json_value.h"

#include "base/json_scanner.h"
#include "base/number_text.h"

namespace kutrace::read {

bool JsonValue::take(std::string_view& rest, bool has_keys, std::string_view& key,
                     JsonValue& value) {
  JsonScanner at(rest);
  at.take(',');
  if (at.at_end() || at.peek() == '}' || at.peek() == ']') return false;
  if (has_keys) {
    key = at.raw_string();
    at.expect(':', "a colon is expected");
  }
  at.peek();
  value = JsonValue(at.skip_value());
  rest.remove_prefix(at.position());
  return !at.failed();
}

JsonValue JsonValue::operator[](std::string_view key) const {
  if (!is_object()) return {};
  std::string_view rest = text_.substr(1);
  std::string_view found;
  JsonValue value;
  while (take(rest, true, found, value))
    if (found == key) return value;
  return {};
}

std::string JsonValue::text() const {
  if (!is_text()) return {};
  return json_unescaped(JsonScanner(text_).raw_string());
}

std::optional<std::int64_t> JsonValue::number() const {
  if (const auto number = parse_number<std::int64_t>(text_)) return number;
  const auto large = parse_number<std::uint64_t>(text_);
  return large ? std::optional(static_cast<std::int64_t>(*large)) : std::nullopt;
}

}  // namespace kutrace::read
