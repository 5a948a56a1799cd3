// SPDX-License-Identifier: BSD-3-Clause
// A statement of plain SQL as words, numbers, texts and signs. In: the statement; out: its tokens;
// none where it has quoted names, parameters, comments or anything else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace::query {

struct SqlWord {
  enum class Kind : std::uint8_t { kWord, kNumber, kText, kSign };
  Kind kind = Kind::kSign;
  std::string text;  // words in small letters, all else as it stands there

  bool is(std::string_view what) const {
    return (kind == Kind::kWord || kind == Kind::kSign) && text == what;
  }
  bool is_word() const { return kind == Kind::kWord; }
};

std::optional<std::vector<SqlWord>> sql_words(std::string_view sql);

}  // namespace kutrace::query
