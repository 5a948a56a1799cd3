// SPDX-License-Identifier: BSD-3-Clause
// Formatting profiles.
#include "emit/text/profile_text.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/json_text.h"
#include "emit/stream/csv_field.h"
#include "emit/text/fitted_table.h"
#include "emit/text/table_numbers.h"

namespace kutrace::emit {

namespace {

constexpr std::size_t kKindWidth = 10;
constexpr std::size_t kNameWidth = 18;  // of most names

std::string ipc_text(const reports::ProfileCell& cell) {
  return cell.ipc == 0 ? std::string("-") : fmt::format("{:.2f}", cell.ipc);
}

// There are many names of what was done, but few of what was waited for, which stand last.
bool may_be_left_out(SpanKind kind) {
  return reports::profile_rank(kind) <= reports::profile_rank(SpanKind::kLockHeld) ||
         kind == SpanKind::kFrequency;
}

// A number of spans or calls; a group has their mean per row.
std::string count_text(const reports::ProfileRow& row, std::uint64_t count) {
  if (row.merged == 1) return std::to_string(count);
  return fmt::format("{:.1f}", static_cast<double>(count) / static_cast<double>(row.merged));
}

const char* unit_of(const reports::ProfileCell& cell) { return cell.is_calls ? "call" : "piece"; }

double per_call(const reports::ProfileCell& cell, Ns time) {
  if (cell.durations.count() == 0) return 0;
  return static_cast<double>(time) / static_cast<double>(cell.durations.count());
}

// Of calls alone: what does not block has nothing to say here.
std::string per_call_us(const reports::ProfileCell& cell, Ns time) {
  return cell.is_calls ? us_cell(per_call(cell, time)) : std::string("-");
}

FittedTable fitted_table(std::size_t width) {
  return {{{"total_ms", 14, 0},
           {"%", 7, 3},
           {"count", 12, 1},
           {"of   ", 5, 10},
           {"mean_us", 12, 4},
           {"p50_us", 12, 6},
           {"p99_us", 12, 5},
           {"max_us", 12, 2},
           {"cpu_us", 12, 8},
           {"wait_us", 12, 7},
           {"ipc", 5, 9}},
          kKindWidth + 1 + kNameWidth,
          width};
}

std::string name_of(std::string_view kind, std::string_view name) {
  return fmt::format("{:<{}} {}", kind, kKindWidth, name);
}

void table_cell(const FittedTable& fitted, const reports::ProfileRow& row,
                const reports::ProfileCell& cell, const LineSink& line) {
  const auto merged = static_cast<double>(row.merged);
  const auto total = static_cast<double>(cell.total);
  const double share = row.elapsed == 0 ? 0 : 100 * total / static_cast<double>(row.elapsed);
  fitted.row(
      {ms_cell(total / merged), fmt::format("{:.3f}", share),
       count_text(row, cell.durations.count()), fmt::format("{:<5}", unit_of(cell)),
       us_cell(cell.mean()), us_cell(cell.durations.quantile(0.5)),
       us_cell(cell.durations.quantile(0.99)), us_cell(cell.durations.longest()),
       per_call_us(cell, cell.calls_on_cpu), per_call_us(cell, cell.calls_blocked), ipc_text(cell)},
      name_of(span_kind_name(cell.kind), cell.name), "", line);
}

std::string row_title(const reports::ProfileRow& row) {
  const auto merged = static_cast<double>(row.merged);
  const std::string how_many = row.merged == 1 ? "" : fmt::format(" ({})", row.merged);
  return fmt::format("{} {}{}: {} ms elapsed, {} ms executing", reports::profile_of_name(row.of),
                     row.name, how_many, ms_cell(static_cast<double>(row.elapsed) / merged),
                     ms_cell(static_cast<double>(row.on_cpu) / merged));
}

void json_cell(const reports::ProfileRow& row, const reports::ProfileCell& cell, JsonText& json) {
  const auto merged = static_cast<double>(row.merged);
  json.begin_object();
  json.key("kind").value(std::string_view(span_kind_name(cell.kind)));
  json.key("name").value(cell.name);
  json.key("total_ns").value(static_cast<double>(cell.total) / merged);
  if (row.merged == 1) {
    json.key("count").value(cell.durations.count());
  } else {
    json.key("count").value(static_cast<double>(cell.durations.count()) / merged);
  }
  json.key("mean_ns").value(cell.mean());
  json.key("p50_ns").value(cell.durations.quantile(0.5));
  json.key("p99_ns").value(cell.durations.quantile(0.99));
  json.key("max_ns").value(cell.durations.longest());
  json.key("unit").value(std::string_view(unit_of(cell)));
  json.key("pieces").value(static_cast<double>(cell.pieces) / merged);
  if (cell.is_calls) {
    json.key("cpu_ns").value(per_call(cell, cell.calls_on_cpu));
    json.key("wait_ns").value(per_call(cell, cell.calls_blocked));
  }
  if (cell.ipc != 0) json.key("ipc").value(cell.ipc);
  json.end_object();
}

}  // namespace

void profile_table(const std::vector<reports::ProfileRow>& rows, std::size_t cells,
                   std::size_t width, const LineSink& line) {
  const FittedTable fitted = fitted_table(width);
  for (const reports::ProfileRow& row : rows) {
    line(row_title(row));
    fitted.head(name_of("kind", "name"), "", line);
    std::size_t limited = 0;
    for (const reports::ProfileCell& cell : row.cells) {
      if (!may_be_left_out(cell.kind) || ++limited <= cells || cells == 0) {
        table_cell(fitted, row, cell, line);
      }
    }
    if (cells != 0 && limited > cells)
      line("      and " + counted(limited - cells, "name", "names") + " more");
    line("");
  }
  fitted.foot(line);
}

void profile_csv(const std::vector<reports::ProfileRow>& rows, const LineSink& line) {
  line(
      "of,id,row,merged,elapsed_ns,executing_ns,kind,name,total_ns,count,mean_ns,p50_ns,p99_ns,"
      "max_ns,ipc,unit,pieces,cpu_ns,wait_ns");
  for (const reports::ProfileRow& row : rows) {
    const auto merged = static_cast<double>(row.merged);
    const std::string begin =
        fmt::format("{},{},{},{},{:.0f},{:.0f}", reports::profile_of_name(row.of), row.id,
                    csv_field(row.name), row.merged, static_cast<double>(row.elapsed) / merged,
                    static_cast<double>(row.on_cpu) / merged);
    for (const reports::ProfileCell& cell : row.cells) {
      const auto of_calls = [&](Ns time) {
        return cell.is_calls ? fmt::format("{:.1f}", per_call(cell, time)) : std::string();
      };
      line(fmt::format(
          "{},{},{},{:.0f},{},{:.1f},{},{},{},{},{},{},{},{}", begin, span_kind_name(cell.kind),
          csv_field(cell.name), static_cast<double>(cell.total) / merged,
          count_text(row, cell.durations.count()), cell.mean(), cell.durations.quantile(0.5),
          cell.durations.quantile(0.99), cell.durations.longest(),
          cell.ipc == 0 ? "" : fmt::format("{:.3f}", cell.ipc), unit_of(cell),
          count_text(row, cell.pieces), of_calls(cell.calls_on_cpu), of_calls(cell.calls_blocked)));
    }
  }
}

std::string profile_json(const std::vector<reports::ProfileRow>& rows) {
  JsonText json;
  json.begin_answer("profile/1").key("rows").begin_array();
  for (const reports::ProfileRow& row : rows) {
    const auto merged = static_cast<double>(row.merged);
    json.begin_object();
    json.key("of").value(std::string_view(reports::profile_of_name(row.of)));
    json.key("id").value(row.id);
    json.key("name").value(row.name);
    json.key("merged").value(row.merged);
    json.key("elapsed_ns").value(static_cast<double>(row.elapsed) / merged);
    json.key("executing_ns").value(static_cast<double>(row.on_cpu) / merged);
    json.key("cells").begin_array();
    for (const reports::ProfileCell& cell : row.cells) json_cell(row, cell, json);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace kutrace::emit
