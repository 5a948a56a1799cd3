// SPDX-License-Identifier: BSD-3-Clause
// Counters of the machine and of processes, and their readings. In: records; out: the texts of
// COUNTER entries; and back (doc/trace-format.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace kutrace {

// Counters of control groups that have a quota of CPU time: the name, with a path behind it.
// Periods in which something of the group wanted to run, those of them in which it used up its
// quota, and how long it was kept from running for that, in ns summed over CPUs.
inline constexpr std::string_view kQuotaPeriods = "quota_periods ";
inline constexpr std::string_view kThrottledPeriods = "throttled_periods ";
inline constexpr std::string_view kThrottled = "throttled ";

// The unit of counters that programs keep of themselves.
inline constexpr std::string_view kProgramUnit = "count";

struct CounterSeries {
  std::uint32_t number = 0;  // by which readings name it
  bool is_total = false;     // counts up, so that differences tell; else a level
  std::string unit;          // bytes, events, tasks, ns, Hz, mdegC, count; one word
  Pid process = kNoPid;      // whose; kNoPid: the machine's
  std::string name;

  bool operator==(const CounterSeries&) const = default;
};

struct CounterValue {
  std::uint32_t number = 0;           // of the series
  std::optional<std::int64_t> value;  // nothing: from here on it is not known

  bool operator==(const CounterValue&) const = default;
};

// Readings of one moment: the counters that differ from the reading before.
struct CounterReading {
  std::int64_t at = 0;  // the trace's counter, or nanoseconds, as its holder says
  std::vector<CounterValue> values;

  bool operator==(const CounterReading&) const = default;
};

struct CounterRecords {
  std::vector<CounterSeries> series;
  std::vector<CounterReading> readings;  // in order of time
};

// "3 level bytes - mem_free"
std::string series_text(const CounterSeries& series);
std::optional<CounterSeries> parse_series(std::string_view text);

// "812000 3=1024 4=-", the time in base 10 or 16: in several texts of at most so many bytes, where
// one value fits.
std::vector<std::string> reading_texts(const CounterReading& reading, int base, std::size_t most);
std::optional<CounterReading> parse_reading(std::string_view text, int base);

// Texts of COUNTER entries, whose times are counters of the trace. In parsing, texts of another
// form are left out.
std::vector<std::string> counter_texts(const CounterRecords& records);
CounterRecords parse_counters(const std::vector<std::string>& texts);

// Keeps the readings in (begin, end]. What held at `begin` becomes one reading there.
void cut_readings(std::vector<CounterReading>& readings, std::int64_t begin, std::int64_t end);

}  // namespace kutrace
