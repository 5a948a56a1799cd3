// SPDX-License-Identifier: BSD-3-Clause
// Lines of values.
#include "emit/text/reading_lines.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"

namespace kutrace::emit {

std::string reading_line(const CounterSeries& series, const Readings::Value& value) {
  const std::string process = series.process == kNoPid ? "-" : std::to_string(series.process);
  return fmt::format("{} {} {} {} {} \"{}\"", value.at, process,
                     series.is_total ? "total" : "level", series.unit,
                     value.value ? std::to_string(*value.value) : "-", json_escaped(series.name));
}

void ReadingLines::end(TraceInfo& info) {
  const Readings readings(info.facts);
  std::multimap<Ns, std::string> lines;
  for (const Readings::Series& series : readings.series())
    for (const Readings::Value& value : series.values)
      lines.emplace(value.at, reading_line(series.told, value));
  for (const auto& [at, text] : lines) line_(text);
}

}  // namespace kutrace::emit
