// SPDX-License-Identifier: BSD-3-Clause
// Counters that programs keep of themselves. In: marks c whose label is a name, '=' and a number,
// with their thread; out: series of processes, and their readings, as of counters that a recorder
// reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "format/counter_records.h"
#include "spans/thread_table.h"

namespace kutrace::spans {

class ProgramCounters {
 public:
  // What is more is left out, as readings are kept until the end.
  static constexpr std::size_t kMostReadings = 200'000;

  // A label of another form is no reading.
  void mark(Pid thread, std::string_view label, Ns time);
  std::uint64_t left_out() const { return left_out_; }
  // What was marked, at nanoseconds; series have numbers from `first` on.
  CounterRecords records(std::uint32_t first, const ThreadTable& threads) const;

 private:
  struct Reading {
    Ns at = 0;
    std::size_t counter = 0;
    std::int64_t value = 0;
  };

  std::map<std::pair<Pid, std::string>, std::size_t> counters_;  // of a thread, by name
  std::vector<Reading> readings_;
  std::uint64_t left_out_ = 0;
};

}  // namespace kutrace::spans
