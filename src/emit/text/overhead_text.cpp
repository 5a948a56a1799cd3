// SPDX-License-Identifier: BSD-3-Clause
// Formatting what recording costs.
#include "emit/text/overhead_text.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string_view>

#include "base/counted.h"
#include "base/json_text.h"
#include "base/text.h"
#include "emit/stream/csv_field.h"

namespace kutrace::emit {

namespace {

using reports::OverheadMeasure;
using reports::OverheadRow;

struct Measured {
  const char* name;
  OverheadMeasure OverheadRow::* measure;
};
constexpr Measured kMeasures[] = {{"wall", &OverheadRow::wall}, {"cpu", &OverheadRow::cpu}};

double ms_of(double ns) { return ns / 1e6; }

std::string command_text(const OverheadTold& told) {
  std::string text;
  for (const std::string& word : told.command) text += (text.empty() ? "" : " ") + word;
  return printable(text);
}

std::string_view verdict_of(const OverheadMeasure& measure) {
  return measure.found ? "found" : "noise";
}

// What a field is called in CSV and JSON, and what of a measure it holds; nothing if it is not
// known.
struct Field {
  const char* name;
  std::optional<double> (*value)(const OverheadMeasure&);
};

std::optional<double> finite(double number) {
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

constexpr Field kFields[] = {
    {"bare_median_ns", [](const OverheadMeasure& m) { return finite(m.bare_median); }},
    {"bare_p95_ns", [](const OverheadMeasure& m) { return finite(m.bare_p95); }},
    {"recorded_median_ns", [](const OverheadMeasure& m) { return finite(m.recorded_median); }},
    {"recorded_p95_ns", [](const OverheadMeasure& m) { return finite(m.recorded_p95); }},
    {"difference_ns", [](const OverheadMeasure& m) { return finite(m.difference.shift); }},
    {"low_ns", [](const OverheadMeasure& m) { return finite(m.difference.low); }},
    {"high_ns", [](const OverheadMeasure& m) { return finite(m.difference.high); }},
    {"difference_percent", [](const OverheadMeasure& m) { return finite(m.growth()); }},
    {"u", [](const OverheadMeasure& m) { return finite(m.test.u); }},
    {"p", [](const OverheadMeasure& m) { return finite(m.test.p); }},
    {"p_corrected", [](const OverheadMeasure& m) { return finite(m.corrected); }},
    {"detectable_ns", [](const OverheadMeasure& m) { return finite(m.detectable); }},
    {"per_event_ns", [](const OverheadMeasure& m) { return m.per_event; }},
};

std::string_view p_method(const OverheadMeasure& measure) {
  return measure.test.exact ? "exact" : "normal";
}

void row_line(const OverheadRow& row, const Measured& measured, const OverheadWay& way,
              const LineSink& line) {
  const OverheadMeasure& m = row.*measured.measure;
  line(fmt::format(
      "{} {:>11.3f} {:>11.3f} {:>11.3f} {:>11.3f} {:>+11.3f} {:>+10.3f} {:>+10.3f} {:>+8.2f} "
      "{:>8.2g} {:>10.3f} {:>8.2f} {:>11.0f} {:>9}  {:4}  {}",
      m.found ? ' ' : '~', ms_of(m.bare_median), ms_of(m.bare_p95), ms_of(m.recorded_median),
      ms_of(m.recorded_p95), ms_of(m.difference.shift), ms_of(m.difference.low),
      ms_of(m.difference.high), m.growth(), m.corrected, ms_of(m.detectable),
      m.percent(m.detectable), row.events,
      m.found && m.per_event ? fmt::format("{:.1f}", *m.per_event) : std::string("-"),
      measured.name, overhead_way_name(way)));
}

void row_json(const OverheadRow& row, const OverheadWay& way, JsonText& json) {
  json.begin_object();
  json.key("source").value(std::string_view(way.source));
  json.key("groups").value(std::string_view(way.groups));
  json.key("runs").value(std::uint64_t{row.runs});
  json.key("events").value(row.events);
  json.key("lost").value(row.lost);
  for (const Measured& measured : kMeasures) {
    const OverheadMeasure& m = row.*measured.measure;
    json.key(measured.name).begin_object();
    for (const Field& field : kFields) {
      const std::optional<double> value = field.value(m);
      if (value) json.key(field.name).value(*value);
    }
    json.key("p_method").value(p_method(m));
    json.key("verdict").value(verdict_of(m));
    json.end_object();
  }
  json.end_object();
}

void run_json(const OverheadRunTold& told, JsonText& json) {
  json.begin_object();
  json.key("row").value(static_cast<std::int64_t>(told.way) - 1);
  json.key("round").value(told.round);
  json.key("wall_ns").value(told.run.wall);
  json.key("cpu_ns").value(told.run.cpu);
  json.key("other_recorders").value(told.other_recorders);
  if (told.way != 0) {
    json.key("events").value(told.run.events);
    json.key("lost").value(told.run.lost);
  }
  json.end_object();
}

std::string rounds_text(const OverheadTold& told) {
  return told.rounds == told.wanted ? counted(told.rounds, "round", "rounds")
                                    : fmt::format("{} of {} rounds", told.rounds, told.wanted);
}

}  // namespace

std::string overhead_way_name(const OverheadWay& way) {
  return way.groups == "standard" ? way.source : way.source + " " + way.groups;
}

void overhead_table(const std::vector<OverheadRow>& rows, const OverheadTold& told,
                    const LineSink& line) {
  const std::size_t runs = rows.empty() ? 0 : rows.front().runs;
  line("command: " + command_text(told));
  line(fmt::format(
      "{} of bare, recorded, recorded, bare after {} of each: {} bare, as many of "
      "each row",
      rounds_text(told), counted(told.warmup, "run", "runs"), counted(runs, "run", "runs")));
  line(
      fmt::format("~ is within noise: 0 lies between low and high (95 %, {} resamples), or p "
                  "(Mann-Whitney, Holm) is not below {}",
                  grouped(reports::MedianShift::kResamples), reports::kOverheadLevel));
  line("least: the smallest difference that such an experiment finds in 4 of 5 cases");
  line("");
  line(fmt::format(
      "  {:>11} {:>11} {:>11} {:>11} {:>11} {:>10} {:>10} {:>8} {:>8} {:>10} {:>8} {:>11} {:>9}  "
      "{:4}  {}",
      "bare_p50_ms", "bare_p95_ms", "rec_p50_ms", "rec_p95_ms", "diff_ms", "low_ms", "high_ms",
      "diff_%", "p", "least_ms", "least_%", "events/run", "ns/event", "time", "recorded by"));
  for (const Measured& measured : kMeasures) {
    for (std::size_t i = 0; i < rows.size(); ++i) row_line(rows[i], measured, told.ways[i], line);
  }
}

void overhead_csv(const std::vector<OverheadRow>& rows, const OverheadTold& told,
                  const LineSink& line) {
  std::string head = "source,groups,time,verdict,runs,events,lost,p_method";
  for (const Field& field : kFields) head += fmt::format(",{}", field.name);
  line(head);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Measured& measured : kMeasures) {
      const OverheadMeasure& m = rows[i].*measured.measure;
      std::string text = fmt::format("{},{},{},{},{},{},{},{}", told.ways[i].source,
                                     csv_field(told.ways[i].groups), measured.name, verdict_of(m),
                                     rows[i].runs, rows[i].events, rows[i].lost, p_method(m));
      for (const Field& field : kFields) {
        const std::optional<double> value = field.value(m);
        text += value ? fmt::format(",{}", *value) : ",";
      }
      line(text);
    }
  }
}

std::string overhead_json(const std::vector<OverheadRow>& rows, const OverheadTold& told) {
  JsonText json;
  json.begin_answer("overhead/1");
  json.key("command").begin_array();
  for (const std::string& word : told.command) json.value(std::string_view(printable(word)));
  json.end_array();
  json.key("rounds").value(told.rounds);
  json.key("rounds_wanted").value(told.wanted);
  json.key("warmup").value(told.warmup);
  json.key("level").value(reports::kOverheadLevel);
  json.key("power").value(reports::kOverheadPower);
  json.key("resamples").value(std::uint64_t{reports::MedianShift::kResamples});
  json.key("rows").begin_array();
  for (std::size_t i = 0; i < rows.size(); ++i) row_json(rows[i], told.ways[i], json);
  json.end_array();
  json.key("runs").begin_array();
  for (const OverheadRunTold& run : told.runs) run_json(run, json);
  json.end_array().end_object();
  return json.text();
}

}  // namespace kutrace::emit
