// SPDX-License-Identifier: BSD-3-Clause
// Which part of a demangled name is the name itself.
#include "base/function_pattern.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/shell_pattern.h"

namespace kutrace {

namespace {

constexpr std::string_view kOperator = "operator";
// Those with a bracket in them, longer ones first.
constexpr std::array<std::string_view, 12> kBracketed = {"<=>", "<<=", ">>=", "->*", "<<", ">>",
                                                         "<=",  ">=",  "->",  "()",  "<",  ">"};

struct NameParts {
  std::size_t begin = 0;  // behind the type that it returns
  std::size_t end = 0;    // in front of the parameters
};

bool is_of_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

// Whether the bracket is one of a name or type rather than that of the parameters.
bool is_part_of_name(std::string_view before, std::string_view from) {
  return from.starts_with("(anonymous namespace)") || before.ends_with("decltype") ||
         before.ends_with("decltype ");
}

class NameScan {
 public:
  explicit NameScan(std::string_view name) : name_(name) {}

  NameParts parts() {
    while (at_ < name_.size() && !is_at_parameters()) step();
    // Only instances of templates say what they return.
    const bool is_instance = at_ < name_.size() && at_ > 0 && name_[at_ - 1] == '>';
    return {is_instance ? begin_ : 0, at_};
  }

 private:
  bool is_at_parameters() const {
    return name_[at_] == '(' && round_ == 0 && angle_ == 0 &&
           !is_part_of_name(name_.substr(0, at_), name_.substr(at_));
  }

  bool is_at_operator() const {
    const std::size_t behind = at_ + kOperator.size();
    return name_.substr(at_).starts_with(kOperator) && (at_ == 0 || !is_of_word(name_[at_ - 1])) &&
           behind < name_.size() && !is_of_word(name_[behind]);
  }

  void step() {
    if (round_ == 0 && is_at_operator()) return skip_operator();
    const char c = name_[at_++];
    if (c == '(' || c == '{') ++round_;
    if (c == ')' || c == '}') --round_;
    if (round_ != 0) return;  // a comparison may stand in there
    if (c == '<') ++angle_;
    if (c == '>') --angle_;
    if (c == ' ' && angle_ == 0 && !has_operator_) begin_ = at_;
  }

  // Its signs are no brackets, and what it converts to may have spaces.
  void skip_operator() {
    at_ += kOperator.size();
    has_operator_ = has_operator_ || angle_ == 0;
    const auto* const sign = std::ranges::find_if(
        kBracketed, [&](std::string_view one) { return name_.substr(at_).starts_with(one); });
    if (sign != kBracketed.end()) at_ += sign->size();
  }

  std::string_view name_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  int round_ = 0;
  int angle_ = 0;
  bool has_operator_ = false;
};

}  // namespace

bool fits_function(const std::string& pattern, const std::string& name) {
  const NameParts parts = NameScan(name).parts();
  return fits(pattern, name) || fits(pattern, name.substr(0, parts.end)) ||
         (parts.begin != 0 && (fits(pattern, name.substr(parts.begin)) ||
                               fits(pattern, name.substr(parts.begin, parts.end - parts.begin))));
}

}  // namespace kutrace
