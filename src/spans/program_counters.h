// SPDX-License-Identifier: BSD-3-Clause
// Counters that programs keep themselves. In: marks c whose label is a name, '=' and a number, with
// their thread and time (ns); out: series of processes and their readings, in the form of counters
// that a recorder reads.
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
  // Readings are kept until the end; those beyond this number are counted and left out.
  static constexpr std::size_t kMostReadings = 200'000;

  // A mark with a label of another form is no reading and is ignored.
  void mark(Pid thread, std::string_view label, Ns time);
  std::uint64_t left_out() const { return left_out_; }
  // All readings; series are numbered from `first` on.
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
