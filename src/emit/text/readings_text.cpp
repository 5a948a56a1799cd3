// SPDX-License-Identifier: BSD-3-Clause
// Values in the units that people use.
#include "emit/text/readings_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.h"
#include "emit/stream/csv_field.h"
#include "emit/text/fitted_table.h"
#include "emit/text/table_numbers.h"

namespace kutrace::emit {

namespace {

using Series = Readings::Series;
using Part = Readings::Series::Part;

// Where a line is short, these stay, the first longest.
constexpr std::array<std::string_view, 12> kMostTold = {
    "mem_available", "runnable", "faults",   "major_faults", "page_in",     "page_out",
    "cpu_some",      "io_some",  "swap_out", "swap_in",      "memory_some", "mem_free"};

// How a unit is shown: divided, and of time as a share of it.
struct Shown {
  std::string_view suffix;
  double divisor;
  int digits;
};

Shown shown_as(const CounterSeries& told) {
  if (told.unit == "bytes" && told.is_total) return {"_MB/s", 1e6, 3};
  if (told.unit == "bytes") return {"_MB", 1e6, 3};
  if (told.unit == "ns" && told.is_total) return {"%", 1e7, 3};  // of a second, in percent
  if (told.unit == "Hz") return {"_MHz", 1e6, 0};
  if (told.unit == "mdegC") return {"_degC", 1e3, 1};
  if (told.is_total) return {"/s", 1, 0};
  return {"", 1, 2};
}

std::string cell_of(const Series& series, const TimeWindow& interval) {
  const std::optional<Part> part = series.in(interval.begin, interval.end);
  if (!part) return "-";
  const Shown shown = shown_as(series.told);
  const double value = series.told.is_total ? static_cast<double>(part->last - part->first) /
                                                  seconds(interval.end - interval.begin)
                                            : part->mean;
  return fmt::format("{:.{}f}", value / shown.divisor, shown.digits);
}

std::size_t rank_of(const Series& series) {
  return static_cast<std::size_t>(std::ranges::find(kMostTold, series.told.name) -
                                  kMostTold.begin());
}

bool is_of_machine(const Series& series) { return series.told.process == kNoPid; }

bool changes(const Series& series, const TimeWindow& interval) {
  const std::optional<Part> part = series.in(interval.begin, interval.end);
  return part && part->least != part->most;
}

std::vector<const Series*> changing_of_machine(const IntervalReadings& told) {
  std::vector<const Series*> chosen;
  const TimeWindow all{told.intervals.front().begin, told.intervals.back().end};
  for (const Series& series : told.readings.series())
    if (is_of_machine(series) && changes(series, all)) chosen.push_back(&series);
  return chosen;
}

FittedColumn column_of(const Series& series, unsigned goes) {
  std::string head = fmt::format("{}{}", printable(series.told.name), shown_as(series.told).suffix);
  const std::size_t width = std::max<std::size_t>(10, head.size() + 2);
  return {std::move(head), width, goes};
}

void machine_table(const IntervalReadings& told, std::size_t width, const LineSink& line) {
  const std::vector<const Series*> chosen = changing_of_machine(told);
  if (chosen.empty()) return;
  std::vector<FittedColumn> columns{{"from_s", 14, 0}};
  unsigned after = kMostTold.size() + 1;
  for (const Series* const series : chosen) {
    const std::size_t rank = rank_of(*series);
    columns.push_back(
        column_of(*series, rank < kMostTold.size() ? static_cast<unsigned>(rank) + 1 : after++));
  }
  const FittedTable fitted(std::move(columns), 0, width);
  line("");
  fitted.head("", "", line);
  for (const TimeWindow& interval : told.intervals) {
    std::vector<std::string> cells{seconds_cell(interval.begin)};
    for (const Series* const series : chosen) cells.push_back(cell_of(*series, interval));
    fitted.row(cells, "", "", line);
  }
  fitted.foot(line);
}

void process_table(const IntervalReadings& told, std::size_t width, const LineSink& line) {
  std::map<Pid, std::vector<const Series*>> processes;
  std::vector<const Series*> columns;  // one of each name
  for (const Series& series : told.readings.series()) {
    if (is_of_machine(series)) continue;
    processes[series.told.process].push_back(&series);
    const auto same = [&](const Series* other) { return other->told.name == series.told.name; };
    if (std::ranges::none_of(columns, same)) columns.push_back(&series);
  }
  if (processes.empty()) return;
  std::vector<FittedColumn> heads{{"from_s", 14, 0}};
  for (const Series* const series : columns) heads.push_back(column_of(*series, 0));
  const FittedTable fitted(std::move(heads), 22, width);
  line("");
  fitted.head("process", "", line);
  for (const TimeWindow& interval : told.intervals) {
    for (const auto& [process, counters] : processes) {
      const bool any = std::ranges::any_of(
          counters, [&](const Series* series) { return changes(*series, interval); });
      if (!any) continue;
      std::vector<std::string> cells{seconds_cell(interval.begin)};
      for (const Series* const column : columns) {
        // A number may be that of two processes, one after the other.
        std::string cell = "-";
        for (const Series* const series : counters)
          if (cell == "-" && series->told.name == column->told.name)
            cell = cell_of(*series, interval);
        cells.push_back(std::move(cell));
      }
      fitted.row(cells, told.process_name(process), "", line);
    }
  }
  fitted.foot(line);
}

// Calls take(series, interval, what is known of it).
template <typename Take>
void each_part(const Series& series, const IntervalReadings& told, const Take& take) {
  for (const TimeWindow& interval : told.intervals)
    if (const auto part = series.in(interval.begin, interval.end)) take(interval, *part);
}

const char* kind_of(const CounterSeries& told) { return told.is_total ? "total" : "level"; }

std::string process_of(const CounterSeries& told, std::string_view none) {
  return told.process == kNoPid ? std::string(none) : std::to_string(told.process);
}

}  // namespace

void readings_table(const IntervalReadings& told, std::size_t width, const LineSink& line) {
  if (told.readings.empty() || told.intervals.empty()) return;
  machine_table(told, width, line);
  process_table(told, width, line);
}

void readings_csv(const IntervalReadings& told, const LineSink& line) {
  if (told.readings.empty()) return;
  line("by,name,process,unit,kind,begin_ns,end_ns,first,last,least,most,mean");
  for (const Series& series : told.readings.series()) {
    const CounterSeries& counter = series.told;
    each_part(series, told, [&](const TimeWindow& interval, const Part& part) {
      line(fmt::format("counter,{},{},{},{},{},{},{},{},{},{},{}", csv_field(counter.name),
                       process_of(counter, ""), csv_field(counter.unit), kind_of(counter),
                       interval.begin, interval.end, part.first, part.last, part.least, part.most,
                       part.mean));
    });
  }
}

void readings_json(const IntervalReadings& told, JsonText& json) {
  if (told.readings.empty()) return;
  json.key("counters").begin_array();
  for (const Series& series : told.readings.series()) {
    const CounterSeries& counter = series.told;
    json.begin_object().key("name").value(counter.name);
    if (counter.process != kNoPid) json.key("process").value(std::int64_t{counter.process});
    json.key("unit").value(counter.unit);
    json.key("kind").value(std::string_view(kind_of(counter)));
    json.key("intervals").begin_array();
    each_part(series, told, [&](const TimeWindow& interval, const Part& part) {
      json.begin_object();
      json.key("begin_ns").value(interval.begin);
      json.key("end_ns").value(interval.end);
      json.key("first").value(part.first);
      json.key("last").value(part.last);
      json.key("least").value(part.least);
      json.key("most").value(part.most);
      json.key("mean").value(part.mean);
      json.end_object();
    });
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace kutrace::emit
