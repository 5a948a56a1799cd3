// SPDX-License-Identifier: BSD-3-Clause
// All values of groups of rows, for aggregates that a sum does not tell, as percentiles. In:
// values, group by group; out: a number for each set, by which SQLite hands it from the rows of
// totals to the aggregate, and its values, in no order. Memory: 4 bytes a value below 2^32, 8
// above, and room to grow; it counts towards the limit of the query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "query/counted_memory.h"

namespace kutrace::query {

class ValueSet {
 public:
  void add(std::int64_t value) {
    if (value >= 0 && value <= std::numeric_limits<std::uint32_t>::max()) {
      small_.push_back(static_cast<std::uint32_t>(value));
    } else {
      large_.push_back(value);
    }
  }
  void append(const ValueSet& more) {
    small_.insert(small_.end(), more.small_.begin(), more.small_.end());
    large_.insert(large_.end(), more.large_.begin(), more.large_.end());
  }
  bool empty() const { return small_.empty() && large_.empty(); }
  template <typename Take>
  void each(const Take& take) const {
    for (const std::uint32_t value : small_) take(std::int64_t{value});
    for (const std::int64_t value : large_) take(value);
  }

 private:
  std::vector<std::uint32_t, CountedMemory<std::uint32_t>> small_;
  std::vector<std::int64_t, CountedMemory<std::int64_t>> large_;
};

// The sets of a connection.
class ValueSets {
 public:
  std::int64_t put(ValueSet set) {
    sets_.emplace(++last_, std::move(set));
    return last_;
  }
  ValueSet& at(std::int64_t number) { return sets_.at(number); }
  // Null: there is none of that number.
  const ValueSet* find(std::int64_t number) const {
    const auto found = sets_.find(number);
    return found == sets_.end() ? nullptr : &found->second;
  }
  void drop(std::int64_t number) { sets_.erase(number); }

 private:
  std::map<std::int64_t, ValueSet> sets_;
  std::int64_t last_ = 0;
};

}  // namespace kutrace::query
