// SPDX-License-Identifier: BSD-3-Clause
// Where the time of requests went, as tables, as CSV and as JSON. In: sums of groups of requests
// and of single ones; out: lines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "emit/text/text_sink.h"
#include "reports/request_times.h"

namespace kutrace::emit {

// One line of how many requests there were, and how many of the calls each had.
void requests_line(std::string_view name, const reports::DurationHistogram& durations, Ns total,
                   std::uint64_t calls, const LineSink& line);
// "requests": {...}
void requests_json(const reports::DurationHistogram& durations, Ns total, JsonText& json);

struct RequestTable {
  std::string by;  // "program"; "request": a row for each
  std::vector<reports::RequestRow> rows;
  std::vector<std::size_t> requests;  // in the order of rows
};

struct RequestTold {
  const reports::RequestTimes& times;
  const TraceInfo& info;
  const NameTable& names;
  std::size_t top = 0;    // rows of a table; the rest is one row together; 0: all
  std::size_t width = 0;  // of a line of a table, as in fitted_table.h
};

void request_table(const RequestTable& table, const RequestTold& told, const LineSink& line);
void request_csv(const std::vector<RequestTable>& tables, const RequestTold& told,
                 const LineSink& line);
std::string request_json(const std::vector<RequestTable>& tables, const RequestTold& told);

}  // namespace kutrace::emit
