// SPDX-License-Identifier: BSD-3-Clause
// A word says what is told; the rest is fields.
#include "format/counter_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "format/text_fields.h"

namespace kutrace {

namespace {

constexpr std::string_view kSeries = "series ";
constexpr std::string_view kReading = "reading ";
constexpr std::string_view kTotal = "total";
constexpr std::string_view kLevel = "level";
constexpr std::string_view kNone = "-";
constexpr int kCounterBase = 16;
// A text has at most 256 chunks of 56 bytes.
constexpr std::size_t kMostInText = 8192;

std::string time_text(std::int64_t at, int base) {
  return base == kCounterBase ? fmt::format("{:x}", at) : fmt::format("{}", at);
}

std::string value_text(const CounterValue& value) {
  return value.value ? fmt::format(" {}={}", value.number, *value.value)
                     : fmt::format(" {}={}", value.number, kNone);
}

std::optional<CounterValue> parse_value(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const auto number = parse_number<std::uint32_t>(text.substr(0, equals));
  const std::string_view told = text.substr(equals + 1);
  const auto value = parse_number<std::int64_t>(told);
  if (!number || (!value && told != kNone)) return std::nullopt;
  return CounterValue{*number, value};
}

}  // namespace

std::string series_text(const CounterSeries& series) {
  return fmt::format(
      "{} {} {} {} {}", series.number, series.is_total ? kTotal : kLevel, series.unit,
      series.process == kNoPid ? std::string(kNone) : std::to_string(series.process), series.name);
}

std::optional<CounterSeries> parse_series(std::string_view text) {
  TextFields fields(text);
  CounterSeries series;
  series.number = fields.number<std::uint32_t>(10);
  const std::string_view sort = fields.word();
  series.is_total = sort == kTotal;
  series.unit = fields.word();
  const std::string_view process = fields.word();
  const auto number = parse_number<Pid>(process);
  series.process = number.value_or(kNoPid);
  series.name = fields.rest();
  const bool is_whole = fields.good() && !series.unit.empty() && !series.name.empty();
  const bool has_process = process == kNone || (number && *number >= 0);
  if (!is_whole || !has_process || (!series.is_total && sort != kLevel)) return std::nullopt;
  return series;
}

std::vector<std::string> reading_texts(const CounterReading& reading, int base, std::size_t most) {
  std::vector<std::string> texts;
  for (const CounterValue& value : reading.values) {
    const std::string text = value_text(value);
    if (texts.empty() || texts.back().size() + text.size() > most)
      texts.push_back(time_text(reading.at, base));
    texts.back() += text;
  }
  return texts;
}

std::optional<CounterReading> parse_reading(std::string_view text, int base) {
  TextFields fields(text);
  CounterReading reading;
  reading.at = fields.number<std::int64_t>(base);
  if (!fields.good()) return std::nullopt;
  for (std::string_view rest = fields.rest(); !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const auto value = parse_value(rest.substr(0, end));
    if (!value) return std::nullopt;
    reading.values.push_back(*value);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  if (reading.values.empty()) return std::nullopt;
  return reading;
}

std::vector<std::string> counter_texts(const CounterRecords& records) {
  std::vector<std::string> texts;
  for (const CounterSeries& series : records.series)
    texts.push_back(std::string(kSeries) + series_text(series));
  for (const CounterReading& reading : records.readings)
    for (const std::string& text : reading_texts(reading, kCounterBase, kMostInText))
      texts.push_back(std::string(kReading) + text);
  return texts;
}

CounterRecords parse_counters(const std::vector<std::string>& texts) {
  CounterRecords records;
  for (const std::string_view text : texts) {
    if (text.starts_with(kSeries)) {
      if (auto series = parse_series(text.substr(kSeries.size())))
        records.series.push_back(std::move(*series));
    } else if (text.starts_with(kReading)) {
      if (auto reading = parse_reading(text.substr(kReading.size()), kCounterBase))
        records.readings.push_back(std::move(*reading));
    }
  }
  std::ranges::stable_sort(records.readings, {}, &CounterReading::at);
  return records;
}

void cut_readings(std::vector<CounterReading>& readings, std::int64_t begin, std::int64_t end) {
  std::map<std::uint32_t, std::int64_t> held;
  std::vector<CounterReading> kept;
  for (CounterReading& reading : readings) {
    if (reading.at > end) break;
    if (reading.at > begin) {
      kept.push_back(std::move(reading));
      continue;
    }
    for (const CounterValue& value : reading.values) {
      if (value.value)
        held[value.number] = *value.value;
      else
        held.erase(value.number);
    }
  }
  if (!held.empty()) {
    CounterReading first{begin, {}};
    for (const auto& [number, value] : held) first.values.push_back({number, value});
    kept.insert(kept.begin(), std::move(first));
  }
  readings = std::move(kept);
}

}  // namespace kutrace
