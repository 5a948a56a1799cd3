// SPDX-License-Identifier: BSD-3-Clause
// Texts of records: fields between blanks, the last of which may hold blanks itself.
#pragma once

#include <string_view>

#include "base/number_text.h"

namespace kutrace {

// Takes fields off the front of a text. If one is wrong, so are all that follow.
class TextFields {
 public:
  explicit TextFields(std::string_view text) : rest_(text) {}

  std::string_view word() {
    const std::size_t blank = rest_.find(' ');
    good_ = good_ && blank != std::string_view::npos;
    if (!good_) return {};
    const std::string_view word = rest_.substr(0, blank);
    rest_.remove_prefix(blank + 1);
    return word;
  }

  template <typename Number>
  Number number(int base) {
    const auto value = parse_number<Number>(word(), base);
    good_ = good_ && value.has_value();
    return value.value_or(0);
  }

  std::string_view rest() const { return rest_; }
  bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace kutrace
