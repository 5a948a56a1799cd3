// SPDX-License-Identifier: BSD-3-Clause
// One number for a counter that several pieces have.
#include "raw/joined_counters.h"

#include <utility>

namespace kutrace::raw {

void JoinedCounters::end_before(std::int64_t begin) {
  // A value holds until the next reading, so its end must be told where nothing was recorded.
  if (!known_.empty() && end_ < begin) {
    CounterReading& last = all_.readings.emplace_back();
    last.at = end_;
    for (const std::uint32_t number : known_) last.values.push_back({number, std::nullopt});
  }
  known_.clear();
}

void JoinedCounters::add(const std::vector<std::string>& texts, const TickWindow& window) {
  CounterRecords piece = parse_counters(texts);
  const auto begin = static_cast<std::int64_t>(window.begin);
  end_before(begin);
  end_ = static_cast<std::int64_t>(window.end);
  cut_readings(piece.readings, begin, end_);
  std::map<std::string, unsigned> told;
  std::map<std::uint32_t, std::uint32_t> renumbered;
  for (CounterSeries series : piece.series) {
    const std::uint32_t before = std::exchange(series.number, 0);
    std::string text = series_text(series);
    // Two processes that had one number and name in turn have series that read alike; the n-th of a
    // piece is taken for the n-th of another.
    const unsigned which = told[text]++;
    const auto [number, is_new] = numbers_.try_emplace(Key(std::move(text), which),
                                                       static_cast<std::uint32_t>(numbers_.size()));
    renumbered.emplace(before, number->second);
    series.number = number->second;
    if (is_new) all_.series.push_back(std::move(series));
  }
  for (CounterReading& reading : piece.readings) {
    std::erase_if(reading.values,
                  [&](const CounterValue& value) { return !renumbered.contains(value.number); });
    for (CounterValue& value : reading.values) {
      value.number = renumbered.at(value.number);
      if (value.value)
        known_.insert(value.number);
      else
        known_.erase(value.number);
    }
    if (!reading.values.empty()) all_.readings.push_back(std::move(reading));
  }
}

}  // namespace kutrace::raw
