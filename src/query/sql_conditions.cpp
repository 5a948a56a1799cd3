// SPDX-License-Identifier: BSD-3-Clause
// Comparisons to conditions, by the rules of SQLite: a comparison with NULL is never true; numbers
// compare as numbers, texts by their bytes. What compares across types is left to SQLite.
#include "query/sql_conditions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace kutrace::query {

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
constexpr double kBeyond = 9223372036854775808.0;  // 2^63: from here on no whole number is so large

Condition never(std::size_t column) {
  return {.column = column, .least = kGreatest, .greatest = kLeast, .of = {}};
}

std::string_view text_of(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

Condition range(std::size_t column, std::int64_t least, std::int64_t greatest) {
  return {.column = column, .least = least, .greatest = greatest, .of = {}};
}

std::optional<Condition> compare_integer(const Asked& asked, std::int64_t value) {
  switch (asked.comparison) {
    case Comparison::kEqual:
      return range(asked.column, value, value);
    case Comparison::kBelow:
      return value == kLeast ? never(asked.column) : range(asked.column, kLeast, value - 1);
    case Comparison::kAtMost:
      return range(asked.column, kLeast, value);
    case Comparison::kAbove:
      return value == kGreatest ? never(asked.column) : range(asked.column, value + 1, kGreatest);
    case Comparison::kAtLeast:
      return range(asked.column, value, kGreatest);
    default:
      return std::nullopt;
  }
}

// Below or above all whole numbers.
std::optional<Condition> compare_with_end(const Asked& asked, bool above_all) {
  const Comparison least = above_all ? Comparison::kBelow : Comparison::kAbove;
  const Comparison most = above_all ? Comparison::kAtMost : Comparison::kAtLeast;
  return asked.comparison == least || asked.comparison == most
             ? range(asked.column, kLeast, kGreatest)
             : never(asked.column);
}

std::optional<Condition> compare_real(const Asked& asked, double value) {
  if (value >= kBeyond || value < -kBeyond) return compare_with_end(asked, value > 0);
  const auto floor = static_cast<std::int64_t>(std::floor(value));
  const bool whole = std::floor(value) == value;
  if (whole) return compare_integer(asked, floor);
  switch (asked.comparison) {
    case Comparison::kEqual:
      return never(asked.column);
    case Comparison::kBelow:
    case Comparison::kAtMost:
      return range(asked.column, kLeast, floor);
    default:
      return range(asked.column, floor + 1, kGreatest);
  }
}

bool compare_text(Comparison comparison, const std::string& text, std::string_view value,
                  const std::string& pattern) {
  switch (comparison) {
    case Comparison::kBelow:
      return text < value;
    case Comparison::kAtMost:
      return text <= value;
    case Comparison::kAbove:
      return text > value;
    case Comparison::kAtLeast:
      return text >= value;
    case Comparison::kLike:
      return sqlite3_strlike(pattern.c_str(), text.c_str(), 0) == 0;
    case Comparison::kGlob:
      return sqlite3_strglob(pattern.c_str(), text.c_str()) == 0;
    default:
      return text == value;
  }
}

Condition one_of(std::size_t column, std::vector<std::int64_t> values) {
  if (values.empty()) return never(column);
  std::ranges::sort(values);
  return {.column = column,
          .least = values.front(),
          .greatest = values.back(),
          .one_of = true,
          .of = std::move(values)};
}

Condition texts_that_fit(const Asked& asked, const Texts& texts, std::string_view value) {
  const std::string pattern(value);
  std::vector<std::int64_t> fitting;
  for (NameId id = kNoName + 1; id < texts.size(); ++id) {
    if (compare_text(asked.comparison, texts.text(id), value, pattern)) fitting.push_back(id);
  }
  return one_of(asked.column, std::move(fitting));
}

Condition equal_text(std::size_t column, const TextIndex& texts, std::string_view value) {
  const std::optional<std::int64_t> id = texts.find(value);
  return id ? range(column, *id, *id) : never(column);
}

// Of one value of a list: false if it is of another type than the column.
bool add_to_list(std::vector<std::int64_t>& values, const Column& column, const TextIndex& texts,
                 sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return true;
  if (column.type == ColumnType::kText) {
    if (type != SQLITE_TEXT) return false;
    if (const auto id = texts.find(text_of(value))) values.push_back(*id);
    return true;
  }
  if (type != SQLITE_INTEGER) return false;
  values.push_back(sqlite3_value_int64(value));
  return true;
}

std::optional<Condition> in_list(const Asked& asked, const Column& column, const TextIndex& texts,
                                 sqlite3_value* list) {
  std::vector<std::int64_t> values;
  sqlite3_value* value = nullptr;
  int code = sqlite3_vtab_in_first(list, &value);
  while (code == SQLITE_OK && value != nullptr) {
    if (!add_to_list(values, column, texts, value)) return std::nullopt;
    code = sqlite3_vtab_in_next(list, &value);
  }
  if (code != SQLITE_DONE && code != SQLITE_OK) return std::nullopt;
  return one_of(asked.column, std::move(values));
}

}  // namespace

std::optional<std::int64_t> TextIndex::find(std::string_view text) const {
  for (; next_ < texts_.size(); ++next_) numbers_.emplace(texts_.text(next_), next_);
  const auto found = numbers_.find(text);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

std::string plan_text(const std::vector<Asked>& asked) {
  std::string text;
  for (const Asked& one : asked) {
    text += std::to_string(one.column);
    text += static_cast<char>(one.comparison);
    text += one.exact ? '!' : '?';
  }
  return text;
}

std::vector<Asked> parse_plan(std::string_view plan) {
  std::vector<Asked> asked;
  const char* text = plan.data();
  const char* const end = text + plan.size();
  while (text != end) {
    Asked one;
    text = std::from_chars(text, end, one.column).ptr;
    if (end - text < 2) break;
    one.comparison = static_cast<Comparison>(*text++);
    one.exact = *text++ == '!';
    asked.push_back(one);
  }
  return asked;
}

std::optional<Comparison> comparison_of(sqlite3_index_info& info, int constraint,
                                        const Column& column, bool takes_patterns) {
  const bool text = column.type == ColumnType::kText;
  if (text && std::strcmp(sqlite3_vtab_collation(&info, constraint), "BINARY") != 0) {
    return std::nullopt;
  }
  switch (info.aConstraint[constraint].op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return sqlite3_vtab_in(&info, constraint, 1) != 0 ? Comparison::kIn : Comparison::kEqual;
    case SQLITE_INDEX_CONSTRAINT_LT:
      return Comparison::kBelow;
    case SQLITE_INDEX_CONSTRAINT_LE:
      return Comparison::kAtMost;
    case SQLITE_INDEX_CONSTRAINT_GT:
      return Comparison::kAbove;
    case SQLITE_INDEX_CONSTRAINT_GE:
      return Comparison::kAtLeast;
    case SQLITE_INDEX_CONSTRAINT_LIKE:
      return text && takes_patterns ? std::optional(Comparison::kLike) : std::nullopt;
    case SQLITE_INDEX_CONSTRAINT_GLOB:
      return text && takes_patterns ? std::optional(Comparison::kGlob) : std::nullopt;
    default:
      return std::nullopt;
  }
}

bool is_exact(sqlite3_index_info& info, int constraint, const Column& column,
              Comparison comparison) {
  sqlite3_value* value = nullptr;
  if (comparison == Comparison::kIn ||
      sqlite3_vtab_rhs_value(&info, constraint, &value) != SQLITE_OK || value == nullptr) {
    return false;
  }
  return column.type == ColumnType::kInteger || sqlite3_value_type(value) == SQLITE_TEXT;
}

std::optional<Condition> condition_of(const Asked& asked, const Column& column,
                                      const TextIndex& texts, sqlite3_value* value) {
  if (asked.comparison == Comparison::kIn) return in_list(asked, column, texts, value);
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return never(asked.column);
  if (column.type == ColumnType::kText) {
    // A number that stands in the query is compared as text, one of a column of numbers is not.
    if (type == SQLITE_BLOB || (type != SQLITE_TEXT && !asked.exact)) return std::nullopt;
    if (asked.comparison == Comparison::kEqual) {
      return equal_text(asked.column, texts, text_of(value));
    }
    return texts_that_fit(asked, texts.texts(), text_of(value));
  }
  // Text that looks like a number is one beside a column of numbers; other text is above them all.
  switch (sqlite3_value_numeric_type(value)) {
    case SQLITE_INTEGER:
      return compare_integer(asked, sqlite3_value_int64(value));
    case SQLITE_FLOAT:
      return compare_real(asked, sqlite3_value_double(value));
    default:
      return compare_with_end(asked, true);
  }
}

}  // namespace kutrace::query
