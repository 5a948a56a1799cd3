// SPDX-License-Identifier: BSD-3-Clause
// Words and signs of a question, each with its place, so that an error can point to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace kutrace::count {

struct Token {
  enum class Kind : std::uint8_t { kWord, kQuoted, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;  // of a quoted one: what stands between the quotes
  std::size_t begin = 0;  // in the whole text
  std::size_t end = 0;

  bool is_sign(std::string_view sign) const { return kind == Kind::kSign && text == sign; }
  bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  // The next one; at the end kEnd again and again. A sign is one or two characters, also one that
  // means nothing.
  Token next();
  // All up to the next space or comma: what a probe is called.
  Token next_probe();
  std::string_view text() const { return text_; }

 private:
  void skip_spaces();
  Token make(Token::Kind kind, std::size_t begin, std::size_t end) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

// A mistake in the text, with the text and a line that points to the place.
Error mistake(std::string_view text, const Token& where, std::string sentence);

}  // namespace kutrace::count
