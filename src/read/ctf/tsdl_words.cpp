// SPDX-License-Identifier: BSD-3-Clause
// Cutting text into words.
#include "read/ctf/tsdl_words.h"

#include <algorithm>
#include <array>

#include "base/number_text.h"

namespace kutrace::read {

namespace {

constexpr std::array<std::string_view, 3> kLongSigns = {"...", ":=", "->"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_of_name(char c) { return begins_name(c) || is_digit(c); }

std::uint64_t number_of(std::string_view text) {
  const std::size_t behind = text.find_last_not_of("uUlL");
  text = text.substr(0, behind == text.npos ? 0 : behind + 1);
  if (text.starts_with("0x") || text.starts_with("0X"))
    return parse_number<std::uint64_t>(text.substr(2), 16).value_or(0);
  if (text.size() > 1 && text.front() == '0')
    return parse_number<std::uint64_t>(text, 8).value_or(0);
  return parse_number<std::uint64_t>(text).value_or(~std::uint64_t{0});
}

}  // namespace

void TsdlWords::skip() {
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    if (is_blank(rest.front()) || rest.front() == '\0') {
      ++at_;
    } else if (rest.starts_with("/*")) {
      at_ = std::min(text_.size(), text_.find("*/", at_ + 2));
      at_ = std::min(text_.size(), at_ + 2);
    } else if (rest.starts_with("//")) {
      at_ = std::min(text_.size(), text_.find('\n', at_));
    } else {
      return;
    }
  }
}

void TsdlWords::take(TsdlWord::Kind kind, std::size_t length) {
  word_ = {kind, text_.substr(at_, length), 0};
  at_ += word_.text.size();
}

void TsdlWords::take_number() {
  std::size_t length = 1;
  while (at_ + length < text_.size() && is_of_name(text_[at_ + length])) ++length;
  take(TsdlWord::Kind::kNumber, length);
  word_.number = number_of(word_.text);
}

void TsdlWords::take_text() {
  std::size_t end = ++at_;
  while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2U : 1U;
  end = std::min(end, text_.size());
  take(TsdlWord::Kind::kText, end - at_);
  at_ = std::min(text_.size(), at_ + 1);
}

void TsdlWords::next() {
  skip();
  begin_ = at_;
  const std::string_view rest = text_.substr(at_);
  if (rest.empty()) return take(TsdlWord::Kind::kEnd, 0);
  if (is_digit(rest.front())) return take_number();
  if (rest.front() == '"') return take_text();
  if (begins_name(rest.front())) {
    const auto end = std::ranges::find_if_not(rest, is_of_name);
    return take(TsdlWord::Kind::kName, static_cast<std::size_t>(end - rest.begin()));
  }
  const auto sign = std::ranges::find_if(
      kLongSigns, [&](std::string_view text) { return rest.starts_with(text); });
  take(TsdlWord::Kind::kSign, sign == kLongSigns.end() ? 1 : sign->size());
}

std::size_t TsdlWords::line() const {
  const std::string_view before = text_.substr(0, begin_);
  return 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
}

}  // namespace kutrace::read
