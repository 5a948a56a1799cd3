// SPDX-License-Identifier: BSD-3-Clause
// One token after the other.
#include "query/sql_words.h"

#include <algorithm>
#include <array>

namespace kutrace::query {

namespace {

constexpr std::string_view kSigns = "(),+-*/%<>=!|&~";
constexpr std::array<std::string_view, 8> kPairs = {"<=", ">=", "<>", "!=", "==", "||", "<<", ">>"};
constexpr std::array<std::string_view, 2> kComments = {"--", "/*"};

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

class Words {
 public:
  explicit Words(std::string_view sql) : sql_(sql) {}

  std::optional<std::vector<SqlWord>> read() {
    while (true) {
      while (at_ < sql_.size() && is_blank(sql_[at_])) ++at_;
      if (at_ == sql_.size()) return std::move(words_);
      if (!take()) return std::nullopt;
    }
  }

 private:
  bool take() {
    const char first = sql_[at_];
    if (is_letter(first)) return take_word();
    if (is_digit(first) || (first == '.' && at_ + 1 < sql_.size() && is_digit(sql_[at_ + 1]))) {
      return take_number();
    }
    if (first == '\'') return take_text();
    return take_sign();
  }
  bool add(SqlWord::Kind kind, std::size_t size) {
    words_.push_back({kind, std::string(sql_.substr(at_, size))});
    at_ += size;
    return true;
  }
  bool take_word() {
    std::size_t end = at_;
    while (end < sql_.size() && (is_letter(sql_[end]) || is_digit(sql_[end]))) ++end;
    add(SqlWord::Kind::kWord, end - at_);
    std::ranges::transform(words_.back().text, words_.back().text.begin(), small);
    return true;
  }
  bool take_number() {
    std::size_t end = at_;
    const auto goes_on = [&] {
      const char c = sql_[end];
      const bool sign = (c == '+' || c == '-') && small(sql_[end - 1]) == 'e';
      return is_digit(c) || is_letter(c) || c == '.' || (end > at_ && sign);
    };
    while (end < sql_.size() && goes_on()) ++end;
    return add(SqlWord::Kind::kNumber, end - at_);
  }
  // A quote within is two.
  bool take_text() {
    std::size_t end = at_ + 1;
    while (true) {
      end = sql_.find('\'', end);
      if (end == std::string_view::npos) return false;
      if (!sql_.substr(end + 1).starts_with('\'')) break;
      end += 2;
    }
    return add(SqlWord::Kind::kText, end + 1 - at_);
  }
  bool take_sign() {
    const std::string_view two = sql_.substr(at_, 2);
    if (std::ranges::find(kComments, two) != kComments.end()) return false;
    if (std::ranges::find(kPairs, two) != kPairs.end()) return add(SqlWord::Kind::kSign, 2);
    return kSigns.contains(sql_[at_]) && add(SqlWord::Kind::kSign, 1);
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  std::vector<SqlWord> words_;
};

}  // namespace

std::optional<std::vector<SqlWord>> sql_words(std::string_view sql) {
  while (!sql.empty() && (is_blank(sql.back()) || sql.back() == ';')) sql.remove_suffix(1);
  return Words(sql).read();
}

}  // namespace kutrace::query
