// SPDX-License-Identifier: BSD-3-Clause
// Tables of requests.
#include "cli/stat_requests.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/found_requests.h"
#include "cli/replay.h"
#include "cli/stat_rows.h"
#include "emit/text/requests_text.h"
#include "reports/request_times.h"

namespace kutrace::cli {

namespace {

using reports::RequestRow;
using reports::RequestSums;
using reports::StatBy;

// Nothing: a row for each request.
Result<std::optional<StatBy>> rows_of(const std::string& by) {
  if (by == "request") return std::nullopt;
  if (const StatBy rows = stat_by(by); rows != StatBy::kCpu) return rows;
  return fail(usage_error("requests are of threads, and have no rows by " + by)
                  .with_hint("--by request, program, process, thread, cgroup, container or pod"));
}

bool is_by_length(const std::string& sort) { return sort.empty() || sort == "took"; }

Status check_sort(const std::string& sort) {
  if (sort != "delay" && sort != "switches" && sort != "moved") return {};
  return fail(usage_error("requests have no column " + sort)
                  .with_hint("--sort took, exec, ready, blocked, faults or syscalls"));
}

// What rows are sorted by, most first.
Ns weight(const RequestSums& sums, const std::string& sort) {
  return is_by_length(sort) ? sums.took : shared_weight(sums, sort);
}

std::vector<std::size_t> sorted(const reports::RequestTimes& times, const std::string& sort) {
  const bool by_length = is_by_length(sort);
  std::vector<std::pair<Ns, std::size_t>> weights;
  for (std::size_t i = 0; i < times.requests().size(); ++i) {
    weights.emplace_back(by_length ? times.requests()[i].duration() : weight(times.sums(i), sort),
                         i);
  }
  std::ranges::sort(weights, [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    return reports::is_slower(times.requests()[a.second], times.requests()[b.second]);
  });
  std::vector<std::size_t> order;
  for (const auto& [time, number] : weights) order.push_back(number);
  return order;
}

}  // namespace

Status write_request_tables(const RequestTables& wanted, const SelectionOptions& options,
                            const read::TraceInput& input, const TableOptions& output,
                            const WidthOptions& width) {
  KUTRACE_TRY(check_sort(wanted.sort));
  std::vector<std::pair<std::string, std::optional<StatBy>>> by;
  for (const std::string& name : wanted.by) {
    KUTRACE_ASSIGN(const std::optional<StatBy> rows, rows_of(name));
    by.emplace_back(name, rows);
  }
  if (by.empty()) by = {{"program", StatBy::kProgram}, {"request", std::nullopt}};
  NameTable names;
  TraceSelection part(options, input, names);
  if (tells_groups(wanted.by)) part.tell_moved();
  KUTRACE_TRY(part.choose(2));
  std::vector<reports::Interval> requests;
  KUTRACE_ASSIGN(const std::string name,
                 find_requests(wanted.request, input, names, part,
                               [&](const reports::Interval& found) { requests.push_back(found); }));
  reports::RequestTimes times(names, std::move(requests));
  KUTRACE_ASSIGN(const TraceInfo info, part.replay_whole(times));
  warn_of_gaps(input, info);
  warn_of_unrecorded(input, info);
  std::vector<emit::RequestTable> tables;
  for (const auto& [label, rows] : by) {
    emit::RequestTable& table = tables.emplace_back();
    table.by = label;
    if (!rows) {
      table.requests = sorted(times, wanted.sort);
      continue;
    }
    table.rows = times.rows(*rows, info);
    std::ranges::stable_sort(table.rows, [&](const RequestRow& a, const RequestRow& b) {
      return weight(a.sums, wanted.sort) > weight(b.sums, wanted.sort);
    });
  }
  const emit::RequestTold told{times, info, names, wanted.top, table_width(output, width)};
  return write_lines(output.output, [&](const TakeLine& line) -> Status {
    const TableForm form = output.form();
    if (form == TableForm::kJson) {
      line(emit::request_json(tables, told));
    } else if (form == TableForm::kCsv) {
      emit::request_csv(tables, told, line);
    } else {
      const RequestSums& all = times.all();
      emit::requests_line(name, all.durations, all.took, all.syscalls, line);
      for (const emit::RequestTable& table : tables) {
        line("");
        emit::request_table(table, told, line);
      }
    }
    return {};
  });
}

}  // namespace kutrace::cli
