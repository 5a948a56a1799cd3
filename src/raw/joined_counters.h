// SPDX-License-Identifier: BSD-3-Clause
// Counters of several pieces of raw traces as one set. In: the COUNTER texts of each piece, in the
// order of time, and the window of each in ticks; out: texts that say the same, each counter under
// one number. Between pieces nothing is known of a counter.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/counter_records.h"
#include "raw/raw_state.h"

namespace kutrace::raw {

class JoinedCounters {
 public:
  void add(const std::vector<std::string>& texts, const TickWindow& window);
  std::vector<std::string> texts() const { return counter_texts(all_); }

 private:
  void end_before(std::int64_t begin);

  // The text of a counter, and which it is of those with the same text.
  using Key = std::pair<std::string, unsigned>;

  CounterRecords all_;
  std::map<Key, std::uint32_t> numbers_;
  std::set<std::uint32_t> known_;  // at the end of the last piece
  std::int64_t end_ = 0;           // of that
};

}  // namespace kutrace::raw
