// SPDX-License-Identifier: BSD-3-Clause
// Aggregates as SQLite calls them: a step for each value, then the end. NULL counts for nothing.
#include "query/aggregates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/distribution.h"
#include "query/counted_memory.h"
#include "query/module_parts.h"

namespace kutrace::query {

namespace {

// Lets the aggregate of this group be used; it is made when the first value comes. Null: no memory,
// or at the end no value at all.
template <typename State>
State* state_of(sqlite3_context* context, bool make) {
  auto** const held = static_cast<State**>(
      sqlite3_aggregate_context(context, make ? static_cast<int>(sizeof(State*)) : 0));
  if (held == nullptr) return nullptr;
  if (*held == nullptr && make) *held = std::make_unique<State>().release();
  return *held;
}

template <typename State>
void step(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  if (sqlite3_value_numeric_type(values[0]) == SQLITE_NULL) return;
  const int code = guarded([&] {
    auto* const state = state_of<State>(context, true);
    if (state == nullptr) return SQLITE_NOMEM;
    if (state->fits(context, values)) state->add(values[0]);
    return SQLITE_OK;
  });
  if (code != SQLITE_OK) sqlite3_result_error_nomem(context);
}

// The same of all values of a set.
template <typename State>
void step_sets(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto& sets = *static_cast<const ValueSets*>(sqlite3_user_data(context));
  const ValueSet* const set = sets.find(sqlite3_value_int64(values[0]));
  if (set == nullptr) return;
  const int code = guarded([&] {
    auto* const state = state_of<State>(context, true);
    if (state == nullptr) return SQLITE_NOMEM;
    if (state->fits(context, values)) {
      set->each([state](std::int64_t value) { state->add(value); });
    }
    return SQLITE_OK;
  });
  if (code != SQLITE_OK) sqlite3_result_error_nomem(context);
}

template <typename State>
void finish(sqlite3_context* context) {
  const std::unique_ptr<State> state(state_of<State>(context, false));
  if (state == nullptr) return sqlite3_result_null(context);
  if (guarded([&] {
        state->give(context);
        return SQLITE_OK;
      }) != SQLITE_OK) {
    sqlite3_result_error_nomem(context);
  }
}

void give_text(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// The least value that at least p percent of all do not exceed.
class Percentile {
 public:
  bool fits(sqlite3_context* context, sqlite3_value** values) {
    const int type = sqlite3_value_numeric_type(values[1]);
    part_ = sqlite3_value_double(values[1]);
    const bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    if (is_number && part_ >= 0 && part_ <= 100) return true;
    sqlite3_result_error(context, "percentile(x, p): p is 0 to 100", -1);
    return false;
  }
  void add(sqlite3_value* value) {
    if (sqlite3_value_numeric_type(value) == SQLITE_INTEGER) {
      whole_.push_back(sqlite3_value_int64(value));
    } else {
      reals_.push_back(sqlite3_value_double(value));
    }
  }
  void add(std::int64_t value) { whole_.push_back(value); }
  void give(sqlite3_context* context) {
    if (reals_.empty() && whole_.empty()) return;  // the first value was refused
    if (reals_.empty()) return sqlite3_result_int64(context, ranked(whole_));
    for (const std::int64_t value : whole_) reals_.push_back(static_cast<double>(value));
    sqlite3_result_double(context, ranked(reals_));
  }

 private:
  template <typename Values>
  typename Values::value_type ranked(Values& values) const {
    const auto size = static_cast<double>(values.size());
    const double rank = std::ceil(part_ * size / 100);
    const auto place = static_cast<std::ptrdiff_t>(std::clamp(rank, 1.0, size)) - 1;
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
  }

  double part_ = 0;
  std::vector<std::int64_t, CountedMemory<std::int64_t>> whole_;
  std::vector<double, CountedMemory<double>> reals_;
};

// Of all values, as DTrace has it; Welford's way, which does not lose the small differences of
// large numbers.
class Deviation {
 public:
  static bool fits(sqlite3_context* /*context*/, sqlite3_value** /*values*/) { return true; }
  void add(sqlite3_value* of) {
    const double value = sqlite3_value_double(of);
    count_ += 1;
    const double before = value - mean_;
    mean_ += before / count_;
    squares_ += before * (value - mean_);
  }
  void give(sqlite3_context* context) const {
    sqlite3_result_double(context, std::sqrt(squares_ / count_));
  }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

class Quantize {
 public:
  static bool fits(sqlite3_context* /*context*/, sqlite3_value** /*values*/) { return true; }
  void add(sqlite3_value* value) { add(std::int64_t{sqlite3_value_int64(value)}); }
  void add(std::int64_t value) { ++counts_[power_of(value)]; }
  void give(sqlite3_context* context) const { give_text(context, quantize_text(counts_)); }

 protected:
  std::map<std::int64_t, std::uint64_t> counts_;
};

// The same in one line.
class Histogram : public Quantize {
 public:
  void give(sqlite3_context* context) const {
    std::string text;
    for (const auto& [bound, count] : counts_) {
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ", bound, count);
    }
    give_text(context, text);
  }
};

class Linear {
 public:
  bool fits(sqlite3_context* context, sqlite3_value** values) {
    const std::optional<LinearBounds> bounds =
        linear_bounds(sqlite3_value_int64(values[1]), sqlite3_value_int64(values[2]),
                      sqlite3_value_int64(values[3]));
    if (!bounds) {
      sqlite3_result_error(
          context, "lquantize(x, least, most, step): least below most, at most 1000 steps", -1);
      return false;
    }
    bounds_ = *bounds;
    return true;
  }
  void add(sqlite3_value* value) { add(std::int64_t{sqlite3_value_int64(value)}); }
  void add(std::int64_t value) { ++counts_[bound_of(value)]; }
  void give(sqlite3_context* context) const {
    give_text(context, lquantize_text(counts_, bounds_));
  }

 private:
  std::int64_t bound_of(std::int64_t value) const {
    if (value < bounds_.least) return bounds_.least - bounds_.step;
    if (value >= bounds_.most) return bounds_.most;
    return bounds_.least + (value - bounds_.least) / bounds_.step * bounds_.step;
  }

  LinearBounds bounds_;
  std::map<std::int64_t, std::uint64_t> counts_;
};

template <typename State>
int add_aggregate(sqlite3* connection, const char* name, int arguments) {
  return sqlite3_create_function_v2(connection, name, arguments,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
                                    nullptr, step<State>, finish<State>, nullptr);
}

// SQLite gives data to functions as it is, without const; these do not change it.
template <typename State>
int add_aggregate_of_sets(sqlite3* connection, const char* name, int arguments,
                          const ValueSets& sets) {
  return sqlite3_create_function_v2(connection, name, arguments, SQLITE_UTF8 | SQLITE_INNOCUOUS,
                                    const_cast<ValueSets*>(&sets), nullptr, step_sets<State>,
                                    finish<State>, nullptr);
}

constexpr std::array<std::pair<std::string_view, const char*>, 4> kOfSets = {{
    {"percentile", "values_percentile"},
    {"hist", "values_hist"},
    {"quantize", "values_quantize"},
    {"lquantize", "values_lquantize"},
}};

constexpr std::array<Aggregate, 5> kAggregates = {{
    {"percentile(x, p)", "the least x that at least p percent of all do not exceed"},
    {"stddev(x)", "standard deviation of all x, as DTrace has it"},
    {"hist(x)", "counts by power of two, in one line: lower bound:count"},
    {"quantize(x)", "the same as DTrace draws it"},
    {"lquantize(x, least, most, step)", "counts by equal steps, as DTrace draws them"},
}};

}  // namespace

std::span<const Aggregate> aggregates() { return kAggregates; }

std::string_view aggregate_of_sets(std::string_view name) {
  for (const auto& [of_values, of_sets] : kOfSets) {
    if (of_values == name) return of_sets;
  }
  return {};
}

int add_aggregates(sqlite3* connection, const ValueSets& sets) {
  int code = add_aggregate<Percentile>(connection, "percentile", 2);
  if (code == SQLITE_OK) code = add_aggregate<Deviation>(connection, "stddev", 1);
  if (code == SQLITE_OK) code = add_aggregate<Histogram>(connection, "hist", 1);
  if (code == SQLITE_OK) code = add_aggregate<Quantize>(connection, "quantize", 1);
  if (code == SQLITE_OK) code = add_aggregate<Linear>(connection, "lquantize", 4);
  if (code == SQLITE_OK) {
    code = add_aggregate_of_sets<Percentile>(connection, kOfSets[0].second, 2, sets);
  }
  if (code == SQLITE_OK) {
    code = add_aggregate_of_sets<Histogram>(connection, kOfSets[1].second, 1, sets);
  }
  if (code == SQLITE_OK) {
    code = add_aggregate_of_sets<Quantize>(connection, kOfSets[2].second, 1, sets);
  }
  if (code == SQLITE_OK) {
    code = add_aggregate_of_sets<Linear>(connection, kOfSets[3].second, 4, sets);
  }
  return code;
}

}  // namespace kutrace::query
