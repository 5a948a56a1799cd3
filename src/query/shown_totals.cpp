// SPDX-License-Identifier: BSD-3-Clause
// What groups, and what is summed.
#include "query/shown_totals.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace kutrace::query {

namespace {

struct MeasureOf {
  std::string_view name;
  std::string_view meaning;
  Measure::Kind kind;
  std::string_view column;
};

Totals make(std::string_view name, std::string_view meaning, const Table& table,
            std::initializer_list<std::string_view> groups,
            std::initializer_list<MeasureOf> measures) {
  Totals totals{name, meaning, &table, {}, {}, nullptr};
  for (const std::string_view group : groups) totals.groups.push_back(table.number(group));
  for (const MeasureOf& measure : measures) {
    totals.measures.push_back(
        {measure.name, measure.meaning, measure.kind, table.number(measure.column)});
  }
  return totals;
}

}  // namespace

std::vector<Totals> totals_of(const TraceTables& tables) {
  using enum Measure::Kind;
  const auto of_time = [](std::string_view name, std::string_view meaning, const Table& table,
                          std::initializer_list<std::string_view> groups) {
    return make(name, meaning, table, groups,
                {{"count", "how many", kCount, "dur_ns"},
                 {"total_ns", "sum of dur_ns", kSum, "dur_ns"},
                 {"min_ns", "the shortest", kLeast, "dur_ns"},
                 {"max_ns", "the longest", kGreatest, "dur_ns"},
                 {"dur_values", "all of dur_ns", kValues, "dur_ns"}});
  };
  Totals spans = of_time("span_totals", "spans summed up", tables.table("spans"),
                         {"kind", "name", "cpu", "tid", "thread", "pid", "process"});
  spans.known = &tables.known_sums();
  return {
      std::move(spans),
      make("call_totals", "calls summed up", tables.table("calls"),
           {"kind", "name", "cpu", "tid", "thread", "pid", "process", "error"},
           {{"count", "how many", kCount, "dur_ns"},
            {"total_ns", "sum of dur_ns", kSum, "dur_ns"},
            {"min_ns", "the shortest", kLeast, "dur_ns"},
            {"max_ns", "the longest", kGreatest, "dur_ns"},
            {"on_cpu_ns", "sum of on_cpu_ns", kSum, "on_cpu_ns"},
            {"wait_ns", "sum of wait_ns", kSum, "wait_ns"},
            {"ready_ns", "sum of ready_ns", kSum, "ready_ns"},
            {"unknown_ns", "sum of unknown_ns", kSum, "unknown_ns"},
            {"errors", "how many returned an error", kKnown, "error"},
            {"dur_values", "all of dur_ns", kValues, "dur_ns"}}),
      of_time("wait_totals", "waits summed up; the name is the reason", tables.table("waits"),
              {"name", "tid", "thread", "pid", "process"}),
  };
}

}  // namespace kutrace::query
