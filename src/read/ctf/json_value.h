// SPDX-License-Identifier: BSD-3-Clause
// Values of JSON whose place is not fixed. In: the text of one value; out: its members and
// elements, each as text again, and what they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kutrace::read {

class JsonValue {
 public:
  JsonValue() = default;
  explicit JsonValue(std::string_view text) : text_(text) {}

  // Whether there is one.
  explicit operator bool() const { return !text_.empty(); }
  std::string_view written() const { return text_; }
  bool is_text() const { return text_.starts_with('"'); }
  bool is_array() const { return text_.starts_with('['); }
  bool is_object() const { return text_.starts_with('{'); }

  // Of an object; none: it has no such member.
  JsonValue operator[](std::string_view key) const;
  // Of an object, each member; of an array, each element, without a key.
  template <typename Use>
  void each(Use use) const;

  // Empty, or nothing: it is something else.
  std::string text() const;
  std::optional<std::int64_t> number() const;

 private:
  // Takes the next member or element from `rest`, which begins behind the value's bracket.
  static bool take(std::string_view& rest, bool has_keys, std::string_view& key, JsonValue& value);

  std::string_view text_;
};

template <typename Use>
void JsonValue::each(Use use) const {
  if (!is_object() && !is_array()) return;
  std::string_view rest = text_.substr(1);
  std::string_view key;
  JsonValue value;
  while (take(rest, is_object(), key, value)) use(key, value);
}

}  // namespace kutrace::read
