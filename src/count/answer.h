// SPDX-License-Identifier: BSD-3-Clause
// What was counted: a row for each key, with what its events summed up to.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "count/question.h"

namespace kutrace::count {

// One aggregate of one key. Which members count depends on its kind.
struct Sums {
  std::uint64_t values = 0;  // how many were added
  std::int64_t sum = 0;      // where has_sum(); else its lowest 64 bits
  long double total = 0;     // the same, rounded where it is large
  long double squares = 0;   // the sum of them
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  std::map<std::int64_t, std::uint64_t> counts;  // by lower bound, of distributions

  void add(const Sums& more);
  void add_sum(long double more, std::uint64_t lowest_bits);
  // It fits 64 bits.
  bool has_sum() const;
  double mean() const;
  // Of the whole population, as DTrace has it. Not negative.
  double deviation() const;
};

struct Key {
  std::string text;
  std::optional<std::int64_t> number;  // what the text says, where it is a number
  std::vector<std::string> frames;     // of a stack: where it is, then what called it

  auto operator<=>(const Key&) const = default;
};

struct Row {
  std::vector<Key> keys;
  std::vector<Sums> sums;  // as many as aggregates
};

// Events that do not stand in the rows although they were asked for.
struct Missed {
  std::uint64_t no_room = 0;   // for a new key
  std::uint64_t no_begin = 0;  // that was seen
  std::uint64_t too_many = 0;  // at a time, to keep when they began
  std::uint64_t children = 0;  // processes that nobody could remember as the command's
  std::uint64_t stacks = 0;    // counted, but without their stack
  std::uint64_t skipped = 0;   // by the kernel: a program met itself at work

  bool any() const { return no_room + no_begin + too_many + children + stacks + skipped != 0; }
  void add(const Missed& more);
  // What came to it since then.
  Missed since(const Missed& before) const;
};

struct Answer {
  Ns begin = 0;  // since the counting began
  Ns end = 0;
  std::vector<Row> rows;  // each key once
  Missed missed;
};

// Rows of equal keys become one. The first comes first that has most of the first aggregate.
void settle(const Question& question, std::vector<Row>& rows);

}  // namespace kutrace::count
