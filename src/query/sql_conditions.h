// SPDX-License-Identifier: BSD-3-Clause
// What SQL asks of a column, as conditions on rows. In: comparisons and SQL's values; out:
// conditions that keep every row for which the comparison is true. Whether they drop all others,
// too, is known beforehand of values that stand in the query.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "query/row_scan.h"
#include "query/table.h"

namespace kutrace::query {

// The numbers of texts, of which more may come.
class TextIndex {
 public:
  explicit TextIndex(const Texts& texts) : texts_(texts) {}
  const Texts& texts() const { return texts_; }
  // Nothing: there is no such text.
  std::optional<std::int64_t> find(std::string_view text) const;

 private:
  const Texts& texts_;
  mutable std::unordered_map<std::string_view, std::int64_t> numbers_;
  mutable NameId next_ = kNoName + 1;  // the first that is not among them
};

enum class Comparison : char {
  kEqual = '=',
  kBelow = '<',
  kAbove = '>',
  kAtMost = 'm',
  kAtLeast = 'l',
  kIn = 'i',
  kLike = 'L',
  kGlob = 'G',
};

// What a plan hands from xBestIndex to xFilter: a word for each argument.
struct Asked {
  std::size_t column = 0;
  Comparison comparison = Comparison::kEqual;
  bool exact = false;  // SQL does not look again at what the condition keeps
};
std::string plan_text(const std::vector<Asked>& asked);
std::vector<Asked> parse_plan(std::string_view plan);

// Of the constraint of that number: the comparison, if conditions can express it. LIKE and GLOB
// only if `takes_patterns`.
std::optional<Comparison> comparison_of(sqlite3_index_info& info, int constraint,
                                        const Column& column, bool takes_patterns);
// Whether the condition that comes of it is all that is asked, so that SQL need not look again.
bool is_exact(sqlite3_index_info& info, int constraint, const Column& column,
              Comparison comparison);

// Nothing: the value says nothing about rows that could be expressed.
std::optional<Condition> condition_of(const Asked& asked, const Column& column,
                                      const TextIndex& texts, sqlite3_value* value);

}  // namespace kutrace::query
