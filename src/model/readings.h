// SPDX-License-Identifier: BSD-3-Clause
// Readings of the counters of the machine and of processes. In: the facts of a trace ("counter",
// "reading"); out: each counter's values by time (ns). A value holds until the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "format/counter_records.h"
#include "format/facts.h"

namespace kutrace {

class Readings {
 public:
  struct Value {
    Ns at = 0;
    std::optional<std::int64_t> value;  // nothing: from here on it is not known
  };
  struct Series {
    CounterSeries told;
    std::vector<Value> values;  // in order of time

    // The last value at or before a moment.
    std::optional<std::int64_t> at(Ns time) const;
    // What is known of a counter in an interval.
    struct Part {
      std::int64_t first = 0;
      std::int64_t last = 0;
      std::int64_t least = 0;
      std::int64_t most = 0;
      double mean = 0;  // each value weighs as long as it held
      Ns known = 0;     // so much of the interval
    };
    // Nothing if no value is known anywhere in [begin, end).
    std::optional<Part> in(Ns begin, Ns end) const;
  };

  explicit Readings(const Facts& facts);
  explicit Readings(CounterRecords records);

  bool empty() const { return series_.empty(); }
  // Counters of the machine first, then by process; each in the order in which they were told.
  const std::vector<Series>& series() const { return series_; }

 private:
  std::vector<Series> series_;
};

// Readings as facts and back; their times are ns.
void add_readings(Facts& facts, const CounterRecords& records);
CounterRecords readings_of(const Facts& facts);
// Keeps the readings in [begin, end], and what held at `begin`.
void cut_readings(Facts& facts, Ns begin, Ns end);

}  // namespace kutrace
