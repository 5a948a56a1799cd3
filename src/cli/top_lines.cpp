// SPDX-License-Identifier: BSD-3-Clause
// Rows, sorted and cut.
#include "cli/top_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "base/json_text.h"
#include "base/shell_pattern.h"
#include "emit/text/table_numbers.h"
#include "emit/text/wait_text.h"
#include "format/wait_word.h"

namespace kutrace::cli {

namespace {

using emit::percent;
using live::ThreadRow;

bool fits_filter(const ThreadRow& row, const std::string& filter) {
  if (filter.empty()) return true;
  if (filter.find_first_of("*?") != std::string::npos) return fits(filter, row.name);
  return row.name.find(filter) != std::string::npos || std::to_string(row.tid) == filter;
}

// Of a process the name is that of its first thread; its p99 is the longest of those of its
// threads.
std::vector<ThreadRow> programs_of(const std::vector<ThreadRow>& threads) {
  std::map<Pid, ThreadRow> programs;
  for (const ThreadRow& thread : threads) {
    const Pid process = thread.process != kNoPid ? thread.process : thread.tid;
    const auto [known, is_new] = programs.try_emplace(process);
    ThreadRow& sum = known->second;
    if (is_new || thread.tid == process) sum.name = thread.name;
    sum.tid = sum.process = process;
    sum.on_cpu += thread.on_cpu;
    sum.ready += thread.ready;
    reports::add_waits(sum.waits, thread.waits);
    sum.under_way += thread.under_way;
    sum.unseen += thread.unseen;
    sum.calls += thread.calls;
    sum.p99 = std::max(sum.p99, thread.p99);
  }
  std::vector<ThreadRow> rows;
  for (auto& [pid, row] : programs) rows.push_back(std::move(row));
  return rows;
}

Ns key_of(const ThreadRow& row, TopOrder order) {
  switch (order) {
    case TopOrder::kReady:
      return row.ready;
    case TopOrder::kWaiting:
      return row.waiting();
    case TopOrder::kCalls:
      return static_cast<Ns>(row.calls);
    case TopOrder::kP99:
      return row.p99;
    default:
      return row.on_cpu;
  }
}

std::string short_time(Ns time) {
  if (time == 0) return "-";
  const auto ns = static_cast<double>(time);
  if (time < 1'000'000) return fmt::format("{:.1f} us", ns / 1e3);
  if (time < 1'000'000'000) return fmt::format("{:.1f} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

// "time 40 % pipe 3 %": the largest first.
std::string reasons_of(const ThreadRow& row, Ns length) {
  std::vector<std::pair<Ns, std::string_view>> reasons;
  for (const char letter : wait_letters()) {
    const Ns time = reports::wait_of(row.waits, letter);
    if (time > 0) reasons.emplace_back(time, short_wait(letter));
  }
  if (row.under_way > 0) reasons.emplace_back(row.under_way, "(under way)");
  std::ranges::sort(reasons, std::greater());
  std::string text;
  for (const auto& [time, word] : reasons)
    text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", word, percent(time, length));
  return text;
}

double per_second(std::uint64_t count, Ns length) {
  return length <= 0 ? 0 : static_cast<double>(count) * 1e9 / static_cast<double>(length);
}

}  // namespace

std::vector<ThreadRow> chosen_rows(const live::TimesOfInterval& times, const TopView& view) {
  std::vector<ThreadRow> rows = view.by_program ? programs_of(times.threads) : times.threads;
  std::erase_if(rows, [&](const ThreadRow& row) { return !fits_filter(row, view.filter); });
  std::ranges::sort(rows, [&](const ThreadRow& a, const ThreadRow& b) {
    if (view.order == TopOrder::kName) return std::tie(a.name, a.tid) < std::tie(b.name, b.tid);
    return std::tuple(-key_of(a, view.order), -a.on_cpu, a.tid) <
           std::tuple(-key_of(b, view.order), -b.on_cpu, b.tid);
  });
  if (view.rows != 0 && rows.size() > view.rows) rows.resize(view.rows);
  return rows;
}

std::vector<std::string> top_lines(const live::TimesOfInterval& times, const TopView& view) {
  const live::MachineRow& machine = times.machine;
  const Ns length = machine.length;
  std::vector<std::string> lines;
  const Ns capacity = length * static_cast<Ns>(machine.cpus);
  lines.push_back(fmt::format(
      "{} CPUs {:.1f} % busy; {:.0f} calls/s, {:.0f} interrupts/s, {:.0f} switches/s; {} threads",
      machine.cpus, percent(machine.busy, capacity), per_second(machine.calls, length),
      per_second(machine.interrupts, length), per_second(machine.switches, length),
      times.threads.size()));
  lines.push_back(fmt::format("{:>8} {:<16} {:>7} {:>7} {:>7} {:>9} {:>8}  {}",
                              view.by_program ? "process" : "thread", "name", "on CPU", "ready",
                              "waits", "calls/s", "p99", "waited for"));
  for (const ThreadRow& row : chosen_rows(times, view)) {
    lines.push_back(fmt::format("{:>8} {:<16} {:>5.1f} % {:>5.1f} % {:>5.1f} % {:>9.0f} {:>8}  {}",
                                row.tid, row.name.substr(0, 16), percent(row.on_cpu, length),
                                percent(row.ready, length), percent(row.waiting(), length),
                                per_second(row.calls, length), short_time(row.p99),
                                reasons_of(row, length)));
  }
  if (view.columns != 0)
    for (std::string& line : lines)
      if (line.size() > view.columns) line.resize(view.columns);
  return lines;
}

std::string top_json(const live::TimesOfInterval& times, const TopView& view) {
  const live::MachineRow& machine = times.machine;
  JsonText json;
  json.begin_answer("top/1");
  json.key("begin_ns").value(std::int64_t{machine.begin});
  json.key("length_ns").value(std::int64_t{machine.length});
  json.key("cpus").value(std::uint64_t{machine.cpus});
  json.key("busy_ns").value(std::int64_t{machine.busy});
  json.key("calls").value(machine.calls).key("interrupts").value(machine.interrupts);
  json.key("switches").value(machine.switches);
  json.key("by").value(view.by_program ? "program" : "thread");
  json.key("rows").begin_array();
  for (const ThreadRow& row : chosen_rows(times, view)) {
    json.begin_object().key("name").value(row.name).key("tid").value(std::int64_t{row.tid});
    if (row.process != kNoPid) json.key("pid").value(std::int64_t{row.process});
    json.key("on_cpu_ns").value(std::int64_t{row.on_cpu});
    json.key("ready_ns").value(std::int64_t{row.ready});
    json.key("waiting_ns").value(std::int64_t{row.waiting()});
    json.key("under_way_ns").value(std::int64_t{row.under_way});
    json.key("unseen_ns").value(std::int64_t{row.unseen});
    emit::waits_json(row.waits, json);
    json.key("calls").value(row.calls).key("p99_ns").value(std::int64_t{row.p99});
    json.end_object();
  }
  return json.end_array().end_object().text();
}

}  // namespace kutrace::cli
