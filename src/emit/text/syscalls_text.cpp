// SPDX-License-Identifier: BSD-3-Clause
// Formatting system calls.
#include "emit/text/syscalls_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/append_format.h"
#include "base/counted.h"
#include "base/json_text.h"
#include "emit/stream/csv_field.h"
#include "emit/text/call_arguments_text.h"
#include "emit/text/fitted_table.h"
#include "emit/text/requests_text.h"
#include "emit/text/table_numbers.h"
#include "emit/text/wait_text.h"
#include "emit/text/wait_words.h"

namespace kutrace::emit {

namespace {

constexpr std::size_t kBarWidth = 40;

// "disk 1.200 ms, lock 0.003 ms, ENOENT 12"
std::string details(const reports::SyscallSums& sums) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const std::string waits = waits_text(sums.waits);
  if (!waits.empty()) add(waits);
  if (sums.unknown != 0) add(fmt::format("unknown {:.3f} ms", ms(sums.unknown)));
  for (const auto& [name, count] : sums.errors) add(fmt::format("{} {}", name, count));
  return text;
}

FittedTable fitted_table(std::size_t width) {
  return {{{"calls", 10, 0},
           {"failed", 8, 3},
           {"total_ms", 14, 0},
           {"%", 7, 4},
           {"mean_us", 12, 5},
           {"p50_us", 12, 6},
           {"p99_us", 12, 2},
           {"max_us", 12, 1},
           {"cpu_ms", 14, 7}},
          18,
          width};
}

void table_line(const FittedTable& fitted, const std::string& name,
                const reports::SyscallSums& sums, Ns all, const LineSink& line) {
  fitted.row({count_cell(sums.calls), count_cell(sums.failed()), ms_cell(sums.total),
              percent_cell(sums.total, all), us_cell(sums.mean()),
              us_cell(sums.durations.quantile(0.5)), us_cell(sums.durations.quantile(0.99)),
              us_cell(sums.durations.longest()), ms_cell(sums.on_cpu)},
             name, details(sums), line);
}

void histogram_lines(const reports::DurationPowers& powers, const LineSink& line) {
  const std::uint64_t most = *std::ranges::max_element(powers.counts);
  for (std::size_t i = 0; i < powers.counts.size(); ++i) {
    const std::uint64_t count = powers.counts[i];
    const auto length =
        static_cast<std::size_t>(count * kBarWidth / std::max<std::uint64_t>(1, most));
    line(fmt::format("{:>14.3f} us .. {:>14.3f} us {:>10} |{:<{}}|", us(powers.from(i)),
                     us(powers.from(i + 1)), count, std::string(length, '#'), kBarWidth));
  }
}

void sums_json(const reports::SyscallSums& sums, JsonText& json) {
  json.key("calls").value(sums.calls);
  json.key("failed").value(sums.failed());
  json.key("inferred").value(sums.inferred);
  json.key("total_ns").value(sums.total);
  json.key("mean_ns").value(sums.mean());
  json.key("p50_ns").value(sums.durations.quantile(0.5));
  json.key("p99_ns").value(sums.durations.quantile(0.99));
  json.key("max_ns").value(sums.durations.longest());
  json.key("cpu_ns").value(sums.on_cpu);
  json.key("unknown_ns").value(sums.unknown);
  waits_json(sums.waits, json);
  json.key("errors").begin_object();
  for (const auto& [name, count] : sums.errors) json.key(name).value(count);
  json.end_object();
}

}  // namespace

void syscalls_table(const std::vector<reports::SyscallGroup>& groups, const SyscallTable& table,
                    const LineSink& line) {
  for (const reports::SyscallGroup& group : groups) {
    line(fmt::format("{}: {}, {} failed, {:.6f} ms", group.name.empty() ? "all" : group.name,
                     counted(group.all.calls, "call", "calls"), grouped(group.all.failed()),
                     ms(group.all.total)));
    const FittedTable fitted = fitted_table(table.width);
    fitted.head("name", "waits, errors", line);
    const std::size_t shown =
        table.top == 0 ? group.rows.size() : std::min(table.top, group.rows.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const reports::SyscallRow& row = group.rows[i];
      table_line(fitted, row.call, row.sums, group.all.total, line);
      if (table.histogram) histogram_lines(row.sums.durations.powers(), line);
    }
    if (shown < group.rows.size()) {
      reports::SyscallSums rest;
      for (std::size_t i = shown; i < group.rows.size(); ++i) rest.add(group.rows[i].sums);
      table_line(fitted, fmt::format("{} more", group.rows.size() - shown), rest, group.all.total,
                 line);
    }
    table_line(fitted, "total", group.all, group.all.total, line);
    fitted.foot(line);
    line("");
  }
}

void slowest_table(const std::vector<reports::SlowCall>& calls, std::size_t width,
                   const LineSink& line) {
  if (calls.empty()) return;
  line("slowest, with begin in seconds:");
  const FittedTable fitted({{"begin_s", 15, 0}, {"took_us", 14, 0}, {"cpu_us", 14, 1}}, 20, width);
  fitted.head("thread", "call = result  waits", line);
  for (const reports::SlowCall& slow : calls) {
    std::string waits;
    for (const WaitTime& wait : slow.waits) {
      append_format(waits, "{}{} {:.3f} us", waits.empty() ? "  " : ", ", short_wait(wait.letter),
                    us(wait.time));
    }
    fitted.row(
        {seconds_cell(slow.call.begin), us_cell(slow.call.duration()), us_cell(slow.call.on_cpu)},
        slow.thread,
        fmt::format("{}({}) = {}{}", slow.name,
                    slow.details != nullptr ? arguments_text(slow.name, slow.call)
                                            : first_argument_text(slow.name, slow.call.arg),
                    result_text(slow.name, slow.call), waits),
        line);
  }
  fitted.foot(line);
}

void syscalls_csv(const std::vector<reports::SyscallGroup>& groups, const LineSink& line) {
  std::string head =
      "group,call,calls,failed,inferred,total_ns,mean_ns,p50_ns,p99_ns,max_ns,cpu_ns,unknown_ns";
  line(head + waits_csv_head() + ",errors");
  for (const reports::SyscallGroup& group : groups) {
    for (const auto& [call, sums] : group.rows) {
      std::string text = fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{}", csv_field(group.name), csv_field(call), sums.calls,
          sums.failed(), sums.inferred, sums.total, sums.mean(), sums.durations.quantile(0.5),
          sums.durations.quantile(0.99), sums.durations.longest(), sums.on_cpu, sums.unknown);
      text += waits_csv(sums.waits);
      std::string errors;
      for (const auto& [name, count] : sums.errors) {
        append_format(errors, "{}{}:{}", errors.empty() ? "" : " ", name, count);
      }
      line(text + "," + errors);
    }
  }
}

std::string syscalls_json(const std::vector<reports::SyscallGroup>& groups,
                          const std::vector<reports::SlowCall>& slowest,
                          const reports::Requests* requests) {
  JsonText json;
  json.begin_answer("syscalls/1");
  if (requests != nullptr) requests_json(requests->durations(), requests->total(), json);
  json.key("groups").begin_array();
  for (const reports::SyscallGroup& group : groups) {
    json.begin_object().key("group").value(group.name);
    sums_json(group.all, json);
    json.key("rows").begin_array();
    for (const auto& [call, sums] : group.rows) {
      json.begin_object().key("call").value(call);
      sums_json(sums, json);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().key("slowest").begin_array();
  for (const reports::SlowCall& slow : slowest) {
    json.begin_object().key("call").value(slow.name);
    json.key("thread").value(slow.thread);
    json.key("pid").value(slow.call.pid);
    json.key("begin_ns").value(slow.call.begin);
    json.key("duration_ns").value(slow.call.duration());
    json.key("cpu_ns").value(slow.call.on_cpu);
    json.key("argument").value(slow.call.arg);
    if (slow.details != nullptr) json.key("arguments").value(arguments_text(slow.name, slow.call));
    if (slow.call.has_result) json.key("result").value(slow.call.result.value);
    json.key("waits_ns").begin_object();
    for (const WaitTime& wait : slow.waits) json.key(short_wait(wait.letter)).value(wait.time);
    json.end_object().end_object();
  }
  json.end_array().end_object();
  return json.text();
}

void SyscallLines::call(const Call& call) {
  if (call.kind != SpanKind::kSyscall || (wanted_ && !wanted_(call))) return;
  const std::string& name = names_.text(call.name);
  line_(fmt::format("{:.9f} [{}] {}{}({}) = {} <{:.9f}>{}", seconds(call.begin), call.pid,
                    call.begin_inferred ? "... " : "", name, arguments_text(name, call),
                    result_text(name, call), seconds(call.duration()),
                    call.end_inferred ? " unfinished" : ""));
}

}  // namespace kutrace::emit
