// SPDX-License-Identifier: BSD-3-Clause
// Writes JSON as text, in order, without a tree. In: keys and values; out: one string.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace kutrace {

class JsonText {
 public:
  JsonText& begin_object();
  // The object that is a whole answer; "blame/1" stands for doc/json/blame.schema.json, version 1.
  JsonText& begin_answer(std::string_view schema);
  JsonText& end_object();
  JsonText& begin_array();
  JsonText& end_array();
  JsonText& key(std::string_view name);
  JsonText& value(std::string_view text);
  JsonText& value(std::int64_t number);
  JsonText& value(std::uint64_t number);
  JsonText& value(std::uint32_t number) { return value(std::uint64_t{number}); }
  JsonText& value(std::int32_t number) { return value(std::int64_t{number}); }
  JsonText& value(double number);
  // A template, so that no pointer to a text becomes one.
  template <std::same_as<bool> Flag>
  JsonText& value(Flag flag) {
    return truth(flag);
  }

  const std::string& text() const { return text_; }

 private:
  void separate();
  JsonText& truth(bool flag);

  std::string text_;
  bool comma_ = false;
};

}  // namespace kutrace
