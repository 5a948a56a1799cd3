// SPDX-License-Identifier: BSD-3-Clause
// Facts to values and back.
#include "model/readings.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kutrace {

namespace {

constexpr int kNsBase = 10;
// Short enough for span JSON, which leaves longer facts out.
constexpr std::size_t kMostInFact = 180;

bool is_of_counters(const std::string& key) {
  return key == fact::kCounter.text || key == fact::kReading.text;
}

}  // namespace

void add_readings(Facts& facts, const CounterRecords& records) {
  for (const CounterSeries& series : records.series) facts.add(fact::kCounter, series_text(series));
  for (const CounterReading& reading : records.readings)
    for (std::string& text : reading_texts(reading, kNsBase, kMostInFact))
      facts.add(fact::kReading.text, std::move(text));
}

CounterRecords readings_of(const Facts& facts) {
  CounterRecords records;
  for (const auto& [key, value] : facts) {
    if (key == fact::kCounter.text) {
      if (auto series = parse_series(value)) records.series.push_back(std::move(*series));
    } else if (key == fact::kReading.text) {
      if (auto reading = parse_reading(value, kNsBase))
        records.readings.push_back(std::move(*reading));
    }
  }
  std::ranges::stable_sort(records.readings, {}, &CounterReading::at);
  return records;
}

void cut_readings(Facts& facts, Ns begin, Ns end) {
  CounterRecords records = readings_of(facts);
  if (records.series.empty()) return;
  cut_readings(records.readings, begin, end);
  Facts kept;
  for (const auto& [key, value] : facts)
    if (!is_of_counters(key)) kept.add(key, value);
  add_readings(kept, records);
  facts = std::move(kept);
}

Readings::Readings(const Facts& facts) : Readings(readings_of(facts)) {}

Readings::Readings(CounterRecords records) {
  std::ranges::stable_sort(records.series, {}, &CounterSeries::process);
  std::map<std::uint32_t, std::size_t> places;
  for (CounterSeries& series : records.series) {
    if (!places.emplace(series.number, series_.size()).second) continue;
    series_.push_back({std::move(series), {}});
  }
  for (const CounterReading& reading : records.readings) {
    for (const CounterValue& value : reading.values) {
      const auto place = places.find(value.number);
      if (place != places.end()) series_[place->second].values.push_back({reading.at, value.value});
    }
  }
}

std::optional<std::int64_t> Readings::Series::at(Ns time) const {
  const auto next = std::ranges::upper_bound(values, time, {}, &Value::at);
  return next == values.begin() ? std::nullopt : std::prev(next)->value;
}

std::optional<Readings::Series::Part> Readings::Series::in(Ns begin, Ns end) const {
  std::optional<Part> part;
  double sum = 0;
  const auto take = [&](std::int64_t value, Ns from, Ns to) {
    if (!part) part = Part{value, value, value, value, 0, 0};
    part->last = value;
    part->least = std::min(part->least, value);
    part->most = std::max(part->most, value);
    part->known += to - from;
    sum += static_cast<double>(value) * static_cast<double>(to - from);
  };
  auto value = std::ranges::upper_bound(values, begin, {}, &Value::at);
  if (value != values.begin()) --value;
  for (; value != values.end() && value->at < end; ++value) {
    const auto next = std::next(value);
    const Ns until = next == values.end() ? end : std::min(end, next->at);
    if (value->value) take(*value->value, std::max(begin, value->at), until);
  }
  if (part)
    part->mean =
        part->known == 0 ? static_cast<double>(part->last) : sum / static_cast<double>(part->known);
  return part;
}

}  // namespace kutrace
