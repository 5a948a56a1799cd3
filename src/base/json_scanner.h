// SPDX-License-Identifier: BSD-3-Clause
// Walks through JSON text from front to back and builds nothing. In: the text; out: tokens, each at
// its place. The caller knows what must come next; the first thing that does not fit sets `error`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"

namespace kutrace {

class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  std::size_t position() const { return at_; }
  void move_to(std::size_t position) { at_ = position; }
  bool failed() const { return error_ != nullptr; }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  // What did not fit, as "a number is expected"; valid after failed().
  const char* error() const { return error_; }
  void clear_error() { error_ = nullptr; }

  // The next character that is not blank, 0 at the end.
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  // Takes `c` if it is next.
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* complaint) {
    if (!take(c)) fail(complaint);
  }

  // A string, as it stands between its quotes.
  std::string_view raw_string();
  // A whole number; fractions are cut off.
  std::int64_t integer();
  // A number of seconds or microseconds, as nanoseconds rounded to the nearest.
  Ns seconds() { return time(1'000'000'000); }
  Ns microseconds() { return time(1000); }
  // Any value, left unread: its text. Nesting deeper than kMaxDepth is refused.
  std::string_view skip_value();

  static constexpr int kMaxDepth = 64;

 private:
  struct Number {
    std::string_view text;
    bool plain = true;  // no exponent
  };

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  void fail(const char* complaint) {
    if (error_ == nullptr) error_ = complaint;
  }
  Number number();
  Ns time(std::int64_t unit);
  void skip_word();

  std::string_view text_;
  std::size_t at_;
  const char* error_ = nullptr;
};

// A string as raw_string gave it, with its escapes resolved. Escapes that are none stay.
std::string json_unescaped(std::string_view raw);

}  // namespace kutrace
