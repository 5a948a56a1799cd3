// SPDX-License-Identifier: BSD-3-Clause
// Any bytes may come; what is no word, quotation or known sign is a sign of one byte.
#include "count/lexer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.h"

namespace kutrace::count {

namespace {

constexpr std::size_t kMostShown = 200;  // bytes of the text in an error

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-*?.:/+@%[]").find(c) != std::string_view::npos ||
         static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::array<std::string_view, 6> kTwoChars = {"==", "!=", "<=", ">=", "&&", "||"};

}  // namespace

Token Lexer::make(Token::Kind kind, std::size_t begin, std::size_t end) const {
  return {kind, text_.substr(begin, end - begin), begin, end};
}

void Lexer::skip_spaces() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

Token Lexer::next_probe() {
  skip_spaces();
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ',') ++at_;
  return make(begin == at_ ? Token::Kind::kEnd : Token::Kind::kWord, begin, at_);
}

Token Lexer::next() {
  skip_spaces();
  const std::size_t begin = at_;
  if (begin == text_.size()) return make(Token::Kind::kEnd, begin, begin);
  const char first = text_[begin];
  if (is_word_char(first)) {
    while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
    return make(Token::Kind::kWord, begin, at_);
  }
  if (first == '"' || first == '\'') {
    const std::size_t end = text_.find(first, begin + 1);
    if (end != std::string_view::npos) {
      at_ = end + 1;
      Token quoted = make(Token::Kind::kQuoted, begin + 1, end);
      quoted.begin = begin;
      quoted.end = end + 1;
      return quoted;
    }
  }
  const bool two = std::ranges::find(kTwoChars, text_.substr(begin, 2)) != kTwoChars.end();
  at_ = begin + (two ? 2 : 1);
  return make(Token::Kind::kSign, begin, at_);
}

Error mistake(std::string_view text, const Token& where, std::string sentence) {
  const std::size_t from = where.begin > kMostShown / 2 ? where.begin - kMostShown / 2 : 0;
  const std::string before = printable(text.substr(from, where.begin - from));
  const std::size_t end = std::min(where.end, from + kMostShown);
  const std::string at = printable(text.substr(where.begin, end - where.begin));
  const std::string after =
      printable(text.substr(end, end < from + kMostShown ? from + kMostShown - end : 0));
  return usage_error(std::move(sentence))
      .because(before + at + after)
      .because(std::string(before.size(), ' ') +
               std::string(std::max<std::size_t>(1, at.size()), '^'));
}

}  // namespace kutrace::count
