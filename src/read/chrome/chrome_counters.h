// SPDX-License-Identifier: BSD-3-Clause
// Counters of Chrome's JSON to readings, as kutrace_counter() of mark.h makes them. In: an event's
// arguments, each a number; out: facts. Values are rounded to whole numbers. After kMostReadings
// the rest is counted and left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "format/counters.h"
#include "format/facts.h"
#include "read/chrome/chrome_event.h"

namespace kutrace::read {

class ChromeCounters {
 public:
  static constexpr std::size_t kMostReadings = 200'000;

  void add(const ChromeEvent& event, Pid process, Ns time);
  void finish(Facts& facts, Counters& counters);

 private:
  struct Reading {
    Ns time = 0;
    std::uint32_t counter = 0;
    std::int64_t value = 0;
  };

  std::map<std::pair<Pid, std::string>, std::uint32_t> numbers_;
  std::vector<Reading> readings_;
  std::uint64_t left_out_ = 0;
};

}  // namespace kutrace::read
