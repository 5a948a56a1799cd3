// SPDX-License-Identifier: BSD-3-Clause
// Formatting sums of time.
#include "emit/text/stat_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/add_time.h"
#include "base/counted.h"
#include "base/json_text.h"
#include "emit/stream/csv_field.h"
#include "emit/text/fitted_table.h"
#include "emit/text/table_numbers.h"
#include "emit/text/wait_text.h"
#include "format/wait_word.h"

namespace kutrace::emit {

namespace {

using reports::StatBy;
using reports::StatFunction;
using reports::StatKind;
using reports::StatRow;
using reports::StatSums;

const char* name_of(const StatTable& table) {
  if (table.of_kinds) return "kind";
  if (table.of_functions) return "function";
  switch (table.by) {
    case StatBy::kCpu:
      return "cpu";
    case StatBy::kThread:
      return "thread";
    case StatBy::kProcess:
      return "process";
    case StatBy::kProgram:
      return "program";
    case StatBy::kCgroup:
      return "cgroup";
    case StatBy::kContainer:
      return "container";
    case StatBy::kPod:
      return "pod";
    case StatBy::kInterval:
      return "interval";
  }
  return "";
}

// What the trace does not tell is "-" in a table, and empty in CSV.
std::string or_none(bool told, std::string cell) { return told ? std::move(cell) : "-"; }
std::string or_empty(bool told, std::uint64_t count) {
  return told ? fmt::format("{}", count) : std::string();
}

// Which groups of the row were throttled; none where rows are no groups.
std::vector<Throttled> throttled_of(StatBy by, const std::string& name, const StatTold& told) {
  if (told.throttling == nullptr) return {};
  if (by == StatBy::kCgroup) return told.throttling->of(name, CgroupPart::kPath);
  if (by == StatBy::kContainer) return told.throttling->of(name, CgroupPart::kContainer);
  if (by == StatBy::kPod) return told.throttling->of(name, CgroupPart::kPod);
  return {};
}

// "throttled 1033.700 ms, 17 of 22 periods"
std::string throttled_text(const Throttled& group, const std::string& row) {
  return fmt::format("throttled {:.3f} ms, {} of {}{}", ms(group.time), group.throttled_periods,
                     counted(group.periods, "period", "periods"),
                     group.cgroup == row ? "" : " of " + group.cgroup);
}

using Cells = std::vector<std::string>;

// Delays are told to 0.1 us.
std::string delay_cell(Ns time) { return fmt::format("{:.1f}", us(time)); }

Cells cpu_cells(const StatSums& sums, const StatTold& told) {
  return {ms_cell(sums.executing()),
          percent_cell(sums.executing(), sums.all_time()),
          ms_cell(sums.user),
          ms_cell(sums.kernel),
          ms_cell(sums.interrupts),
          ms_cell(sums.idle),
          ms_cell(sums.hidden),
          ms_cell(sums.lost),
          count_cell(sums.switches),
          count_cell(sums.migrations),
          or_none(told.faults, count_cell(sums.faults)),
          or_none(told.interrupts, count_cell(sums.irqs)),
          or_none(told.interrupts, count_cell(sums.softirqs)),
          or_none(told.calls, count_cell(sums.syscalls))};
}

void cpu_table(const StatTable& table, const StatTold& told, const LineSink& line) {
  const FittedTable fitted({{"exec_ms", 14, 5},
                            {"busy%", 7, 0},
                            {"user_ms", 14, 2},
                            {"kernel_ms", 14, 3},
                            {"irq_ms", 14, 4},
                            {"idle_ms", 14, 6},
                            {"hidden_ms", 12, 12},
                            {"lost_ms", 12, 8},
                            {"switches", 10, 1},
                            {"moved", 8, 11},
                            {"faults", 9, 9},
                            {"irqs", 9, 7},
                            {"softirqs", 9, 10},
                            {"syscalls", 9, 8}},
                           5, told.width);
  fitted.head("CPU", "", line);
  StatSums all;
  for (const StatRow& row : table.rows) {
    fitted.row(cpu_cells(row.sums, told), row.name, "", line);
    all.add(row.sums);
  }
  if (table.rows.size() > 1) fitted.row(cpu_cells(all, told), "all", "", line);
  fitted.foot(line);
}

std::string per_second(std::uint64_t count, Ns time) {
  const double rate = time == 0 ? 0 : static_cast<double>(count) * 1e9 / static_cast<double>(time);
  return fmt::format("{:.0f}", rate);
}

void interval_table(const StatTable& table, const StatTold& told, const LineSink& line) {
  const FittedTable fitted({{"from_s", 14, 0},
                            {"busy%", 8, 0},
                            {"user_ms", 14, 3},
                            {"kernel_ms", 14, 4},
                            {"irq_ms", 14, 5},
                            {"blocked_ms", 14, 7},
                            {"ready_ms", 14, 1},
                            {"p50_us", 8, 10},
                            {"p99_us", 8, 8},
                            {"max_us", 10, 2},
                            {"switches/s", 10, 6},
                            {"moved/s", 9, 13},
                            {"faults/s", 9, 11},
                            {"irqs/s", 9, 9},
                            {"syscalls/s", 10, 12}},
                           0, told.width);
  fitted.head("", "waits", line);
  for (const StatRow& row : table.rows) {
    const StatSums& sums = row.sums;
    // Of an interval that lies in no window, or in part of one, that part alone.
    const Ns length =
        told.cpus != 0 ? sums.all_time() / static_cast<Ns>(told.cpus) : row.end - row.begin;
    fitted.row(
        {row.name, percent_cell(sums.executing(), sums.all_time()), ms_cell(sums.user),
         ms_cell(sums.kernel), ms_cell(sums.interrupts), ms_cell(sums.blocked()),
         ms_cell(reports::wait_of(sums.waits, reports::kReady)),
         delay_cell(sums.ready.quantile(0.5)), delay_cell(sums.ready.quantile(0.99)),
         delay_cell(sums.ready.longest()), per_second(sums.switches, length),
         per_second(sums.migrations, length), or_none(told.faults, per_second(sums.faults, length)),
         or_none(told.interrupts, per_second(sums.irqs, length)),
         or_none(told.calls, per_second(sums.syscalls, length))},
        "", waits_text(sums.waits), line);
  }
  fitted.foot(line);
}

void thread_row(const FittedTable& fitted, const std::string& name, const StatSums& sums,
                const std::string& more, const StatTold& told, const LineSink& line) {
  const Ns all = told.recorded * static_cast<Ns>(told.cpus);
  std::string rest;
  const auto add = [&rest](const std::string& part) { rest += (rest.empty() ? "" : ", ") + part; };
  if (sums.idle != 0) add(fmt::format("idle {:.3f} ms", ms(sums.idle)));
  if (sums.hidden != 0) add(fmt::format("hidden {:.3f} ms", ms(sums.hidden)));
  if (sums.lost != 0) add(fmt::format("lost {:.3f} ms", ms(sums.lost)));
  if (const std::string waits = waits_text(sums.waits); !waits.empty()) add(waits);
  if (told.lives && sums.unknown != 0) add(fmt::format("unknown {:.3f} ms", ms(sums.unknown)));
  if (!more.empty()) add(more);
  fitted.row(
      {ms_cell(sums.executing()), percent_cell(sums.executing(), all), ms_cell(sums.user),
       ms_cell(sums.kernel), ms_cell(sums.interrupts), ms_cell(sums.blocked()),
       ms_cell(reports::wait_of(sums.waits, reports::kReady)), count_cell(sums.ready.count()),
       delay_cell(sums.ready.quantile(0.5)), delay_cell(sums.ready.quantile(0.99)),
       delay_cell(sums.ready.longest()), or_none(told.switches, count_cell(sums.voluntary)),
       or_none(told.switches, count_cell(sums.involuntary)), count_cell(sums.woken),
       count_cell(sums.migrations), or_none(told.faults, count_cell(sums.faults)),
       or_none(told.interrupts, count_cell(sums.irqs)),
       or_none(told.calls, count_cell(sums.syscalls))},
      name, rest, line);
}

void thread_table(const StatTable& table, const StatTold& told, const LineSink& line) {
  const FittedTable fitted({{"exec_ms", 14, 0},
                            {"cpu%", 7, 0},
                            {"user_ms", 14, 4},
                            {"kernel_ms", 14, 5},
                            {"irq_ms", 12, 10},
                            {"blocked_ms", 14, 2},
                            {"ready_ms", 12, 1},
                            {"delays", 8, 9},
                            {"p50_us", 8, 8},
                            {"p99_us", 9, 6},
                            {"max_us", 10, 3},
                            {"blocked", 8, 11},
                            {"preempt.", 8, 12},
                            {"woken", 8, 13},
                            {"moved", 7, 10},
                            {"faults", 8, 9},
                            {"irqs", 8, 14},
                            {"syscalls", 9, 7}},
                           22, told.width);
  fitted.head(name_of(table), "waits", line);
  const std::size_t shown =
      told.top == 0 ? table.rows.size() : std::min(told.top, table.rows.size());
  StatSums all;
  StatSums rest;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const StatRow& row = table.rows[i];
    const std::string threads =
        reports::counts_threads(table.by) && row.id > 1 ? fmt::format(" ({})", row.id) : "";
    std::string throttled;
    for (const Throttled& group : throttled_of(table.by, row.name, told)) {
      throttled += (throttled.empty() ? "" : ", ") + throttled_text(group, row.name);
    }
    if (i < shown) thread_row(fitted, row.name + threads, row.sums, throttled, told, line);
    if (i >= shown) rest.add(row.sums);
    all.add(row.sums);
  }
  if (shown < table.rows.size()) {
    thread_row(fitted, fmt::format("{} more", table.rows.size() - shown), rest, "", told, line);
  }
  thread_row(fitted, "total", all, "", told, line);
  fitted.foot(line);
}

// Other kinds have none.
bool tells_calls_of(const StatKind& kind, const StatTold& told) {
  if (is_interrupt(kind.kind)) return told.interrupts;
  return told.calls || !is_call_kind(kind.kind);
}

void kind_table(const StatTable& table, const StatTold& told, const LineSink& line) {
  const FittedTable fitted({{"own_ms", 14, 0},
                            {"cpu%", 7, 0},
                            {"with_called_ms", 17, 4},
                            {"calls", 11, 1},
                            {"p50_us", 12, 5},
                            {"p99_us", 12, 3},
                            {"max_us", 12, 2},
                            {"blocked_ms", 14, 6}},
                           12, told.width);
  fitted.head("kind", "", line);
  const Ns all = told.recorded * static_cast<Ns>(told.cpus);
  for (const StatKind& kind : table.kinds) {
    const bool calls = tells_calls_of(kind, told);
    fitted.row(
        {ms_cell(kind.own), percent_cell(kind.own, all), or_none(calls, ms_cell(kind.with_called)),
         or_none(calls, count_cell(kind.calls)),
         or_none(calls, us_cell(kind.durations.quantile(0.5))),
         or_none(calls, us_cell(kind.durations.quantile(0.99))),
         or_none(calls, us_cell(kind.durations.longest())), or_none(calls, ms_cell(kind.blocked))},
        span_kind_name(kind.kind), "", line);
  }
  fitted.foot(line);
}

void function_table(const StatTable& table, const StatTold& told, const LineSink& line) {
  const FittedTable fitted({{"own_ms", 14, 0},
                            {"with_called_ms", 17, 1},
                            {"calls", 11, 2},
                            {"p50_us", 12, 5},
                            {"p99_us", 12, 4},
                            {"max_us", 12, 3}},
                           24, told.width);
  const auto row = [&](const StatFunction& function) {
    fitted.row({ms_cell(function.own), ms_cell(function.with_called), count_cell(function.calls),
                us_cell(function.durations.quantile(0.5)),
                us_cell(function.durations.quantile(0.99)), us_cell(function.durations.longest())},
               function.name, "", line);
  };
  fitted.head("function", "", line);
  const std::size_t shown =
      told.top == 0 ? table.functions.size() : std::min(told.top, table.functions.size());
  StatFunction rest;
  for (std::size_t i = 0; i < table.functions.size(); ++i) {
    const StatFunction& function = table.functions[i];
    if (i < shown) {
      row(function);
      continue;
    }
    add_time(rest.own, function.own);
    add_time(rest.with_called, function.with_called);
    rest.calls += function.calls;
    rest.durations.merge(function.durations);
  }
  if (shown < table.functions.size()) {
    rest.name = fmt::format("{} more", table.functions.size() - shown);
    row(rest);
  }
  fitted.foot(line);
}

bool is_of_threads(StatBy by) { return by != StatBy::kCpu && by != StatBy::kInterval; }

// A thread waits, is ready and is woken on no CPU.
bool has_waits(StatBy by) { return by != StatBy::kCpu; }

void times_json(const StatSums& sums, const StatTold& told, StatBy by, JsonText& json) {
  json.key("executing_ns").value(sums.executing());
  json.key("user_ns").value(sums.user);
  json.key("kernel_ns").value(sums.kernel);
  json.key("interrupts_ns").value(sums.interrupts);
  json.key("idle_ns").value(sums.idle);
  json.key("hidden_ns").value(sums.hidden);
  json.key("lost_ns").value(sums.lost);
  if (told.lives && is_of_threads(by)) {
    json.key("life_ns").value(sums.life);
    json.key("unknown_ns").value(sums.unknown);
  }
  if (has_waits(by)) {
    waits_json(sums.waits, json);
    json.key("ready").begin_object();
    json.key("count").value(sums.ready.count());
    json.key("p50_ns").value(sums.ready.quantile(0.5));
    json.key("p99_ns").value(sums.ready.quantile(0.99));
    json.key("max_ns").value(sums.ready.longest());
    json.end_object();
  }
  json.key("switches").value(sums.switches);
  if (told.switches && has_waits(by)) {
    json.key("voluntary").value(sums.voluntary);
    json.key("involuntary").value(sums.involuntary);
  }
  if (has_waits(by)) json.key("woken").value(sums.woken);
  json.key("migrations").value(sums.migrations);
  if (told.faults) json.key("faults").value(sums.faults);
  if (told.interrupts) {
    json.key("irqs").value(sums.irqs);
    json.key("softirqs").value(sums.softirqs);
  }
  if (told.calls) json.key("syscalls").value(sums.syscalls);
}

void kind_json(const StatKind& kind, const StatTold& told, JsonText& json) {
  json.begin_object();
  json.key("name").value(std::string_view(span_kind_name(kind.kind)));
  json.key("own_ns").value(kind.own);
  if (tells_calls_of(kind, told)) {
    json.key("with_called_ns").value(kind.with_called);
    json.key("calls").value(kind.calls);
    json.key("p50_ns").value(kind.durations.quantile(0.5));
    json.key("p99_ns").value(kind.durations.quantile(0.99));
    json.key("max_ns").value(kind.durations.longest());
    json.key("blocked_ns").value(kind.blocked);
  }
  json.end_object();
}

void function_json(const StatFunction& function, JsonText& json) {
  json.begin_object();
  json.key("name").value(function.name);
  json.key("own_ns").value(function.own);
  json.key("with_called_ns").value(function.with_called);
  json.key("calls").value(function.calls);
  json.key("p50_ns").value(function.durations.quantile(0.5));
  json.key("p99_ns").value(function.durations.quantile(0.99));
  json.key("max_ns").value(function.durations.longest());
  json.end_object();
}

const char* id_name(StatBy by) {
  switch (by) {
    case StatBy::kCpu:
      return "cpu";
    case StatBy::kThread:
      return "pid";
    case StatBy::kProcess:
      return "process";
    case StatBy::kProgram:
    case StatBy::kCgroup:
    case StatBy::kContainer:
    case StatBy::kPod:
      return "threads";
    case StatBy::kInterval:
      return "interval";
  }
  return "";
}

void throttled_json(const std::vector<Throttled>& groups, JsonText& json) {
  if (groups.empty()) return;
  json.key("throttled").begin_array();
  for (const Throttled& group : groups) {
    json.begin_object().key("cgroup").value(group.cgroup);
    json.key("throttled_ns").value(group.time);
    json.key("periods").value(group.periods);
    json.key("throttled_periods").value(group.throttled_periods);
    json.key("begin_ns").value(group.told.begin);
    json.key("end_ns").value(group.told.end);
    json.end_object();
  }
  json.end_array();
}

// Of the group that was throttled most.
std::string throttled_csv(const std::vector<Throttled>& groups) {
  if (groups.empty()) return ",,,";
  const Throttled& most = groups.front();
  return fmt::format(",{},{},{}", most.time, most.throttled_periods, most.periods);
}

std::string kind_csv(const StatKind& kind, const StatTold& told) {
  const std::string first = fmt::format("kind,{},{},", span_kind_name(kind.kind), kind.own);
  if (!tells_calls_of(kind, told)) return first + ",,,,,";
  return first + fmt::format("{},{},{},{},{},{}", kind.with_called, kind.calls,
                             kind.durations.quantile(0.5), kind.durations.quantile(0.99),
                             kind.durations.longest(), kind.blocked);
}

}  // namespace

void stat_table(const StatTable& table, const StatTold& told, const LineSink& line) {
  if (table.of_kinds) {
    kind_table(table, told, line);
  } else if (table.of_functions) {
    function_table(table, told, line);
  } else if (table.by == StatBy::kCpu) {
    cpu_table(table, told, line);
  } else if (table.by == StatBy::kInterval) {
    interval_table(table, told, line);
  } else {
    thread_table(table, told, line);
  }
}

void stat_csv(const std::vector<StatTable>& tables, const StatTold& told, const LineSink& line) {
  std::string last_head;
  const auto head = [&](std::string text) {
    if (text == last_head) return;
    line(text);
    last_head = std::move(text);
  };
  for (const StatTable& table : tables) {
    if (table.of_kinds) {
      head("by,name,own_ns,with_called_ns,calls,p50_ns,p99_ns,max_ns,blocked_ns");
      for (const StatKind& kind : table.kinds) {
        line(kind_csv(kind, told));
      }
      continue;
    }
    if (table.of_functions) {
      head("by,name,own_ns,with_called_ns,calls,p50_ns,p99_ns,max_ns");
      for (const StatFunction& function : table.functions) {
        line(fmt::format("function,{},{},{},{},{},{},{}", csv_field(function.name), function.own,
                         function.with_called, function.calls, function.durations.quantile(0.5),
                         function.durations.quantile(0.99), function.durations.longest()));
      }
      continue;
    }
    head(
        "by,name,id,begin_ns,end_ns,executing_ns,user_ns,kernel_ns,interrupts_ns,idle_ns,"
        "hidden_ns,lost_ns,life_ns,unknown_ns,ready_count,ready_p50_ns,ready_p99_ns,"
        "ready_max_ns,switches,voluntary,involuntary,woken,migrations,faults,irqs,softirqs,"
        "syscalls" +
        waits_csv_head() + ",throttled_ns,throttled_periods,periods");
    for (const StatRow& row : table.rows) {
      const StatSums& sums = row.sums;
      const bool lives = told.lives && is_of_threads(table.by);
      const bool waits = has_waits(table.by);
      const bool switches = told.switches && waits;
      line(fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},", name_of(table), csv_field(row.name),
                       row.id, row.begin, row.end, sums.executing(), sums.user, sums.kernel,
                       sums.interrupts, sums.idle, sums.hidden, sums.lost) +
           (lives ? fmt::format("{},{},", sums.life, sums.unknown) : ",,") +
           (waits ? fmt::format("{},{},{},{}", sums.ready.count(), sums.ready.quantile(0.5),
                                sums.ready.quantile(0.99), sums.ready.longest())
                  : ",,,") +
           fmt::format(
               ",{},{},{},{},{},{},{},{},{}", sums.switches, or_empty(switches, sums.voluntary),
               or_empty(switches, sums.involuntary), or_empty(waits, sums.woken), sums.migrations,
               or_empty(told.faults, sums.faults), or_empty(told.interrupts, sums.irqs),
               or_empty(told.interrupts, sums.softirqs), or_empty(told.calls, sums.syscalls)) +
           (waits ? waits_csv(sums.waits) : std::string(wait_letters().size(), ',')) +
           throttled_csv(throttled_of(table.by, row.name, told)));
    }
  }
  if (told.readings != nullptr) readings_csv(*told.readings, line);
}

std::string stat_json(const std::vector<StatTable>& tables, const StatTold& told) {
  JsonText json;
  json.begin_answer("stat/1");
  json.key("recorded_ns").value(told.recorded);
  json.key("cpus").value(std::uint64_t{told.cpus});
  json.key("tables").begin_array();
  for (const StatTable& table : tables) {
    json.begin_object().key("by").value(std::string_view(name_of(table)));
    json.key("rows").begin_array();
    for (const StatKind& kind : table.kinds) kind_json(kind, told, json);
    for (const StatFunction& function : table.functions) function_json(function, json);
    for (const StatRow& row : table.rows) {
      json.begin_object().key("name").value(row.name);
      json.key(id_name(table.by)).value(row.id);
      if (table.by == StatBy::kInterval) {
        json.key("begin_ns").value(row.begin);
        json.key("end_ns").value(row.end);
      }
      times_json(row.sums, told, table.by, json);
      throttled_json(throttled_of(table.by, row.name, told), json);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
  if (told.readings != nullptr) readings_json(*told.readings, json);
  json.end_object();
  return json.text();
}

}  // namespace kutrace::emit
