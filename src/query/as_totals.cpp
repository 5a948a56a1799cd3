// SPDX-License-Identifier: BSD-3-Clause
// Clause by clause. What is not known here is left as it is: then the rows are summed up.
#include "query/as_totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "query/aggregates.h"
#include "query/sql_words.h"

namespace kutrace::query {

namespace {

enum class Clause : std::uint8_t { kSelect, kFrom, kWhere, kGroup, kHaving, kOrder, kLimit };
constexpr std::array<std::string_view, 7> kClauses = {"select", "from",  "where", "group",
                                                      "having", "order", "limit"};
// Words of expressions that mean the same of rows and of totals.
constexpr std::array<std::string_view, 23> kNeutral = {
    "and",  "or",      "not",    "in",     "is",    "null",  "between", "like",
    "glob", "as",      "asc",    "desc",   "case",  "when",  "then",    "else",
    "end",  "collate", "nocase", "binary", "nulls", "first", "last"};

class Turned {
 public:
  Turned(std::vector<SqlWord> words, const std::vector<Totals>& totals)
      : words_(std::move(words)), all_(totals) {}

  std::optional<std::string> sql() {
    if (!find_clauses() || !find_totals()) return std::nullopt;
    if (has(Clause::kWhere)) take_window();
    if (has(Clause::kGroup) && !read_groups()) return std::nullopt;
    std::string sql;
    for (std::size_t i = 0; i < kClauses.size(); ++i) {
      const auto clause = static_cast<Clause>(i);
      if (!has(clause)) continue;
      sql += std::string(kClauses[i]) + " ";
      if (clause == Clause::kGroup || clause == Clause::kOrder) sql += "by ";
      if (clause == Clause::kFrom) {
        sql += std::string(totals_->name) + window_ + " ";
      } else if (!turn(clause, sql)) {
        return std::nullopt;
      }
    }
    // Without groups the statement gives a row for each of the table's, or one for all of them.
    return !unfit_ && (has(Clause::kGroup) || sums_) ? std::optional(sql) : std::nullopt;
  }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  bool has(Clause clause) const { return range(clause).end != 0; }
  const Range& range(Clause clause) const { return ranges_[static_cast<std::size_t>(clause)]; }
  const SqlWord& word(std::size_t at) const {
    static const SqlWord kNone;
    return at < words_.size() ? words_[at] : kNone;
  }

  // Each at most once, and in their order.
  bool find_clauses() {
    int depth = 0;
    std::size_t next = 0;
    Range* open = nullptr;
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (words_[at].is("(")) ++depth;
      if (words_[at].is(")")) --depth;
      const auto found = std::ranges::find(kClauses, words_[at].text);
      if (!words_[at].is_word() || found == kClauses.end()) continue;
      const auto clause = static_cast<std::size_t>(found - kClauses.begin());
      if (depth != 0 || clause < next || (at == 0) != (clause == 0)) return false;
      next = clause + 1;
      if (open != nullptr) open->end = at;
      open = &ranges_[clause];
      const bool with_by = *found == "group" || *found == "order";
      if (with_by && !word(++at).is("by")) return false;
      open->begin = at + 1;
    }
    if (open != nullptr) open->end = words_.size();
    return has(Clause::kSelect) && has(Clause::kFrom);
  }

  bool find_totals() {
    const Range& from = range(Clause::kFrom);
    if (from.end != from.begin + 1 || !words_[from.begin].is_word()) return false;
    const auto found = std::ranges::find_if(
        all_, [&](const Totals& one) { return one.table->name() == words_[from.begin].text; });
    if (found != all_.end()) totals_ = &*found;
    return totals_ != nullptr;
  }

  // "start_ns BETWEEN n AND n", if all else of the clause must hold beside it, becomes the window
  // of the totals.
  void take_window() {
    Range& where = ranges_[static_cast<std::size_t>(Clause::kWhere)];
    const auto in_where = [&](std::string_view what) {
      return std::any_of(words_.begin() + static_cast<std::ptrdiff_t>(where.begin),
                         words_.begin() + static_cast<std::ptrdiff_t>(where.end),
                         [what](const SqlWord& one) { return one.is(what); });
    };
    // Then what stands together is not told by words alone.
    if (in_where("or") || in_where("case") || in_where("(")) return;
    std::size_t at = where.begin;
    while (at < where.end && !words_[at].is("start_ns")) ++at;
    const bool first = at == where.begin;
    const std::size_t behind = at + 5;
    const bool fits = behind <= where.end && word(at + 1).is("between") && is_whole(at + 2) &&
                      word(at + 3).is("and") && is_whole(at + 4) &&
                      (first || words_[at - 1].is("and")) &&
                      (behind == where.end || words_[behind].is("and"));
    if (!fits) return;
    window_ = fmt::format("({}, {} + 1)", words_[at + 2].text, words_[at + 4].text);
    const std::size_t from = first ? at : at - 1;
    const std::size_t to = first && behind != where.end ? behind + 1 : behind;
    erase(from, to);
    if (in_where("between")) unfit_ = true;
    if (where.begin == where.end) where = {};
  }
  // A number that stays one when 1 is added.
  bool is_whole(std::size_t at) const {
    constexpr std::size_t kMostDigits = 18;
    const std::string& text = word(at).text;
    return word(at).kind == SqlWord::Kind::kNumber && text.size() <= kMostDigits &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  }
  void erase(std::size_t from, std::size_t to) {
    words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(from),
                 words_.begin() + static_cast<std::ptrdiff_t>(to));
    for (Range& range : ranges_) {
      if (range.begin >= to) range.begin -= to - from;
      if (range.end >= to) range.end -= to - from;
    }
  }

  bool is_group(const SqlWord& word) const {
    return word.is_word() && std::ranges::any_of(totals_->groups, [&](std::size_t column) {
             return totals_->table->columns()[column].name == word.text;
           });
  }

  // Columns by name, or by their place in what is selected.
  bool read_groups() {
    std::vector<std::vector<SqlWord>> selected(1);
    const Range& select = range(Clause::kSelect);
    int depth = 0;
    for (std::size_t at = select.begin; at < select.end; ++at) {
      if (words_[at].is("(")) ++depth;
      if (words_[at].is(")")) --depth;
      if (depth == 0 && words_[at].is(",")) {
        selected.emplace_back();
      } else {
        selected.back().push_back(words_[at]);
      }
    }
    const Range& group = range(Clause::kGroup);
    for (std::size_t at = group.begin; at < group.end; at += 2) {
      const SqlWord* column = &words_[at];
      if (column->kind == SqlWord::Kind::kNumber) {
        const auto place =
            static_cast<std::size_t>(std::strtoul(column->text.c_str(), nullptr, 10));
        if (place == 0 || place > selected.size() || selected[place - 1].empty()) return false;
        const std::vector<SqlWord>& item = selected[place - 1];
        if (item.size() > 1 && !item[1].is("as")) return false;
        column = &item.front();
      }
      if (!is_group(*column) || (at + 1 < group.end && !words_[at + 1].is(","))) return false;
      groups_.insert(column->text);
    }
    return (group.end - group.begin) % 2 == 1;
  }

  bool turn(Clause clause, std::string& sql) {
    const Range& of = range(clause);
    for (std::size_t at = of.begin; at < of.end; ++at) {
      const SqlWord& now = words_[at];
      if (now.is("*") && !is_operand(at)) return false;
      const bool neutral =
          !now.is_word() || std::ranges::find(kNeutral, now.text) != kNeutral.end();
      if (!neutral && word(at + 1).is("(")) {
        const auto [sum, words] = sum_at(clause, at);
        if (sum.empty()) return false;
        sql += sum + " ";
        sums_ = sums_ || clause == Clause::kSelect;
        at += words - 1;
        continue;
      }
      if (!neutral && !takes_name(clause, at)) return false;
      sql += now.text + " ";
    }
    return of.begin != of.end;
  }
  // Whether the sign between two is a product's.
  bool is_operand(std::size_t at) const {
    if (at == 0) return false;
    const SqlWord& before = words_[at - 1];
    return before.kind == SqlWord::Kind::kNumber || before.is(")") || is_group(before);
  }

  // The name of a column that the totals have, too; or one that the statement gives a column.
  bool takes_name(Clause clause, std::size_t at) {
    const SqlWord& now = words_[at];
    const Range& of = range(clause);
    const SqlWord& before = word(at - 1);
    if (clause == Clause::kLimit) return now.is("offset");
    if (clause == Clause::kSelect && (before.is("as") || ends_item(at))) {
      const auto& columns = totals_->table->columns();
      if (std::ranges::find(columns, now.text, &Column::name) != columns.end()) return false;
      return given_.insert(now.text).second;
    }
    if (is_group(now)) {
      return clause == Clause::kWhere || clause == Clause::kGroup || groups_.contains(now.text);
    }
    const bool first = at == of.begin || before.is(",");
    const bool last = at + 1 == of.end || word(at + 1).is(",") || word(at + 1).is("asc") ||
                      word(at + 1).is("desc");
    return clause == Clause::kOrder && first && last && given_.contains(now.text);
  }
  // Whether it stands behind a whole expression.
  bool ends_item(std::size_t at) const {
    const Range& of = range(Clause::kSelect);
    const bool last = at + 1 == of.end || words_[at + 1].is(",");
    const bool behind = at > of.begin && (words_[at - 1].is(")") || is_group(words_[at - 1]));
    return last && behind && !is_group(words_[at]);
  }

  // What sums up the sums that this would sum up, empty if there are none; and of how many words
  // this is.
  std::pair<std::string, std::size_t> sum_at(Clause clause, std::size_t at) const {
    const bool may_sum =
        clause == Clause::kSelect || clause == Clause::kHaving || clause == Clause::kOrder;
    if (!may_sum) return {};
    if (word(at + 3).is(")")) {
      const std::string sum = sum_of(at);
      if (!sum.empty()) return {sum, 4};
    }
    return of_values(at);
  }
  // The same aggregate of sets of values; all behind the column are numbers.
  std::pair<std::string, std::size_t> of_values(std::size_t at) const {
    const std::string_view function = aggregate_of_sets(words_[at].text);
    const std::string values = measure(Measure::Kind::kValues, word(at + 2).text);
    if (function.empty() || values.empty() || !word(at + 2).is_word()) return {};
    std::string sql = fmt::format("{}({}", function, values);
    std::size_t next = at + 3;
    for (; word(next).is(","); next += 2) {
      if (word(next + 1).kind != SqlWord::Kind::kNumber) return {};
      sql += ", " + word(next + 1).text;
    }
    return word(next).is(")") ? std::pair(sql + ")", next + 1 - at)
                              : std::pair(std::string(), std::size_t{0});
  }
  std::string sum_of(std::size_t at) const {
    const std::string& function = words_[at].text;
    const SqlWord& of = words_[at + 2];
    const std::string count = measure(Measure::Kind::kCount, {});
    const std::string sum = measure(Measure::Kind::kSum, of.text);
    if (function == "count" && of.is("*")) return fmt::format("coalesce(sum({}), 0)", count);
    if (!of.is_word() || sum.empty()) return {};
    if (function == "sum" || function == "total") return fmt::format("{}({})", function, sum);
    const bool is_least = function == "min";
    if (is_least || function == "max") {
      const std::string end =
          measure(is_least ? Measure::Kind::kLeast : Measure::Kind::kGreatest, of.text);
      return end.empty() ? std::string() : fmt::format("{}({})", function, end);
    }
    // A duration is always known.
    if (of.text != "dur_ns") return {};
    if (function == "count") return fmt::format("coalesce(sum({}), 0)", count);
    return function == "avg" ? fmt::format("(1.0 * sum({}) / sum({}))", sum, count) : std::string();
  }
  std::string measure(Measure::Kind kind, std::string_view column) const {
    for (const Measure& one : totals_->measures) {
      const bool same = column.empty() || totals_->table->columns()[one.column].name == column;
      if (one.kind == kind && same) return std::string(one.name);
    }
    return {};
  }

  std::vector<SqlWord> words_;
  const std::vector<Totals>& all_;
  std::array<Range, kClauses.size()> ranges_{};
  const Totals* totals_ = nullptr;
  std::string window_;  // "(from, to)"
  bool unfit_ = false;  // what is left of a clause may mean another thing
  std::set<std::string> groups_;
  std::set<std::string> given_;  // names of columns of the answer
  bool sums_ = false;            // something is summed up
};

}  // namespace

std::optional<std::string> as_totals(std::string_view sql, const std::vector<Totals>& totals) {
  auto words = sql_words(sql);
  if (!words) return std::nullopt;
  return Turned(std::move(*words), totals).sql();
}

}  // namespace kutrace::query
