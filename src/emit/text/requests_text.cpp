// SPDX-License-Identifier: BSD-3-Clause
// Formatting requests.
#include "emit/text/requests_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "emit/stream/csv_field.h"
#include "emit/text/fitted_table.h"
#include "emit/text/table_numbers.h"
#include "emit/text/wait_text.h"

namespace kutrace::emit {

using reports::RequestRow;
using reports::RequestSums;

namespace {

using Cells = std::vector<std::string>;

// Behind columns of its own a table has where the time went.
FittedTable fitted_table(std::vector<FittedColumn> columns, std::size_t width) {
  for (FittedColumn column : {FittedColumn{"exec_ms", 13, 3}, FittedColumn{"user_ms", 13, 7},
                              FittedColumn{"kernel_ms", 13, 8}, FittedColumn{"irq_ms", 12, 9},
                              FittedColumn{"blocked_ms", 13, 4}, FittedColumn{"ready_ms", 13, 2},
                              FittedColumn{"faults", 8, 10}, FittedColumn{"syscalls", 9, 6}}) {
    columns.push_back(std::move(column));
  }
  return {std::move(columns), 22, width};
}

void add_parts(const RequestSums& sums, Cells& cells) {
  for (const Ns time : {sums.executing(), sums.user, sums.kernel, sums.interrupts, sums.blocked(),
                        reports::wait_of(sums.waits, reports::kReady)}) {
    cells.push_back(ms_cell(time));
  }
  cells.push_back(count_cell(sums.faults));
  cells.push_back(count_cell(sums.syscalls));
}

std::string rest_of(const RequestSums& sums) {
  std::string text = waits_text(sums.waits);
  if (sums.unknown() == 0) return text;
  return fmt::format("{}{}unknown {:.3f} ms", text, text.empty() ? "" : ", ", ms(sums.unknown()));
}

Cells group_cells(const RequestSums& sums) {
  Cells cells = {count_cell(sums.durations.count()), ms_cell(sums.took),
                 ms_cell(sums.durations.quantile(0.5)), ms_cell(sums.durations.quantile(0.99)),
                 ms_cell(sums.durations.longest())};
  add_parts(sums, cells);
  return cells;
}

void group_table(const RequestTable& table, const RequestTold& told, const LineSink& line) {
  const FittedTable fitted = fitted_table({{"requests", 9, 0},
                                           {"took_ms", 14, 0},
                                           {"p50_ms", 12, 5},
                                           {"p99_ms", 12, 4},
                                           {"max_ms", 13, 1}},
                                          told.width);
  fitted.head(table.by, "waits", line);
  const auto put = [&](const RequestSums& sums, const std::string& name) {
    fitted.row(group_cells(sums), name, rest_of(sums), line);
  };
  const std::size_t shown =
      told.top == 0 ? table.rows.size() : std::min(told.top, table.rows.size());
  RequestSums rest;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const RequestRow& row = table.rows[i];
    const bool counts = row.id > 1 && table.by != "thread" && table.by != "process";
    if (i < shown) put(row.sums, counts ? fmt::format("{} ({})", row.name, row.id) : row.name);
    if (i >= shown) rest.add(row.sums);
  }
  if (shown < table.rows.size()) put(rest, fmt::format("{} more", table.rows.size() - shown));
  put(told.times.all(), "total");
  fitted.foot(line);
}

void single_table(const RequestTable& table, const RequestTold& told, const LineSink& line) {
  const FittedTable fitted = fitted_table({{"begin_s", 15, 0}, {"took_ms", 14, 0}}, told.width);
  fitted.head("thread", "waits", line);
  const auto put = [&](std::string begin, const RequestSums& sums, const std::string& name,
                       const std::string& rest) {
    Cells cells = {std::move(begin), ms_cell(sums.took)};
    add_parts(sums, cells);
    fitted.row(cells, name, rest, line);
  };
  const std::size_t count = table.requests.size();
  const std::size_t shown = told.top == 0 ? count : std::min(told.top, count);
  RequestSums put_so_far;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t number = table.requests[i];
    const RequestSums sums = told.times.sums(number);
    put_so_far.add(sums);
    const reports::Interval& request = told.times.requests()[number];
    std::string rest = rest_of(sums);
    if (request.file != kNoName) {
      rest += (rest.empty() ? "on " : ", on ") + told.names.text(request.file);
    }
    put(seconds_cell(request.begin), sums, told.times.thread(number, told.info), rest);
  }
  const RequestSums& all = told.times.all();
  if (shown < count) {
    const RequestSums more = all.without(put_so_far);
    put("", more, fmt::format("{} more", count - shown), rest_of(more));
  }
  put("", all, "total", rest_of(all));
  fitted.foot(line);
}

void sums_json(const RequestSums& sums, JsonText& json) {
  json.key("took_ns").value(sums.took);
  json.key("executing_ns").value(sums.executing());
  json.key("user_ns").value(sums.user);
  json.key("kernel_ns").value(sums.kernel);
  json.key("interrupts_ns").value(sums.interrupts);
  json.key("unknown_ns").value(sums.unknown());
  waits_json(sums.waits, json);
  json.key("faults").value(sums.faults);
  json.key("syscalls").value(sums.syscalls);
}

const char* id_name(const std::string& by) {
  if (by == "thread") return "pid";
  return by == "process" ? "process" : "threads";
}

std::string sums_csv(const RequestSums& sums) {
  return fmt::format("{},{},{},{},{},{},{},{}", sums.took, sums.executing(), sums.user, sums.kernel,
                     sums.interrupts, sums.unknown(), sums.faults, sums.syscalls) +
         waits_csv(sums.waits);
}

}  // namespace

void requests_line(std::string_view name, const reports::DurationHistogram& durations, Ns total,
                   std::uint64_t calls, const LineSink& line) {
  const std::uint64_t count = durations.count();
  line(fmt::format(
      "{}: {} of them, {:.6f} ms together, p50 {:.4f} ms, p99 {:.4f} ms, longest "
      "{:.6f} ms; {:.1f} calls each",
      name, grouped(count), ms(total), ms(durations.quantile(0.5)), ms(durations.quantile(0.99)),
      ms(durations.longest()), static_cast<double>(calls) / static_cast<double>(count)));
}

void requests_json(const reports::DurationHistogram& durations, Ns total, JsonText& json) {
  json.key("requests").begin_object();
  json.key("count").value(durations.count());
  json.key("total_ns").value(total);
  json.key("p50_ns").value(durations.quantile(0.5));
  json.key("p99_ns").value(durations.quantile(0.99));
  json.key("longest_ns").value(durations.longest());
  json.end_object();
}

void request_table(const RequestTable& table, const RequestTold& told, const LineSink& line) {
  if (table.by == "request") return single_table(table, told, line);
  group_table(table, told, line);
}

void request_csv(const std::vector<RequestTable>& tables, const RequestTold& told,
                 const LineSink& line) {
  line(
      "by,name,id,begin_ns,end_ns,requests,p50_ns,p99_ns,max_ns,took_ns,executing_ns,user_ns,"
      "kernel_ns,interrupts_ns,unknown_ns,faults,syscalls" +
      waits_csv_head() + ",file");
  for (const RequestTable& table : tables) {
    for (const RequestRow& row : table.rows) {
      const reports::DurationHistogram& durations = row.sums.durations;
      line(fmt::format("{},{},{},,,{},{},{},{},{},", table.by, csv_field(row.name), row.id,
                       durations.count(), durations.quantile(0.5), durations.quantile(0.99),
                       durations.longest(), sums_csv(row.sums)));
    }
    for (const std::size_t number : table.requests) {
      const reports::Interval& request = told.times.requests()[number];
      line(fmt::format("request,{},{},{},{},1,,,,{},{}",
                       csv_field(told.times.thread(number, told.info)), request.pid, request.begin,
                       request.end, sums_csv(told.times.sums(number)),
                       request.file == kNoName ? "" : csv_field(told.names.text(request.file))));
    }
  }
}

std::string request_json(const std::vector<RequestTable>& tables, const RequestTold& told) {
  JsonText json;
  const RequestSums& all = told.times.all();
  json.begin_answer("requests/1");
  requests_json(all.durations, all.took, json);
  json.key("tables").begin_array();
  for (const RequestTable& table : tables) {
    json.begin_object().key("by").value(table.by);
    json.key("rows").begin_array();
    for (const RequestRow& row : table.rows) {
      json.begin_object().key("name").value(row.name);
      json.key(id_name(table.by)).value(row.id);
      json.key("requests").value(row.sums.durations.count());
      json.key("p50_ns").value(row.sums.durations.quantile(0.5));
      json.key("p99_ns").value(row.sums.durations.quantile(0.99));
      json.key("max_ns").value(row.sums.durations.longest());
      sums_json(row.sums, json);
      json.end_object();
    }
    for (const std::size_t number : table.requests) {
      const reports::Interval& request = told.times.requests()[number];
      json.begin_object().key("name").value(told.times.thread(number, told.info));
      json.key("pid").value(request.pid);
      json.key("begin_ns").value(request.begin);
      json.key("end_ns").value(request.end);
      if (request.file != kNoName) json.key("file").value(told.names.text(request.file));
      sums_json(told.times.sums(number), json);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace kutrace::emit
