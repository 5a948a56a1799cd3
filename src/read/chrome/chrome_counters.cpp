// SPDX-License-Identifier: BSD-3-Clause
// A series for each counter and argument.
#include "read/chrome/chrome_counters.h"

#include <algorithm>
#include <cmath>

#include "base/json_scanner.h"
#include "base/number_text.h"
#include "base/text.h"
#include "model/readings.h"

namespace kutrace::read {

namespace {

constexpr double kMostValue = 9e18;

}  // namespace

void ChromeCounters::add(const ChromeEvent& event, Pid process, Ns time) {
  std::string name = printable(json_unescaped(event.name));
  if (!event.id.empty()) name += "[" + printable(json_unescaped(event.id)) + "]";
  each_chrome_member(event.args, [&](std::string_view key, std::string_view text) {
    const auto value = parse_number<double>(text);
    if (!value || !(std::abs(*value) < kMostValue) || readings_.size() == kMostReadings) {
      ++left_out_;
      return;
    }
    const std::string part = printable(json_unescaped(key));
    const bool is_only = part.empty() || part == "value" || part == name;
    const auto number = numbers_.try_emplace({process, is_only ? name : name + "." + part},
                                             static_cast<std::uint32_t>(numbers_.size() + 1));
    readings_.push_back({time, number.first->second, std::llround(*value)});
  });
}

void ChromeCounters::finish(Facts& facts, Counters& counters) {
  if (left_out_ != 0) counters.add(Counter::kChromeEventLeftOut, left_out_);
  if (readings_.empty()) return;
  std::ranges::stable_sort(readings_, {}, &Reading::time);
  CounterRecords records;
  for (const auto& [whose, number] : numbers_)
    records.series.push_back({number, false, std::string(kProgramUnit), whose.first, whose.second});
  for (const Reading& reading : readings_)
    records.readings.push_back({reading.time, {{reading.counter, reading.value}}});
  add_readings(facts, records);
}

}  // namespace kutrace::read
