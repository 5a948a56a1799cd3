// SPDX-License-Identifier: BSD-3-Clause
// kutrace stat: where time went, and how often what happened.
#include <algorithm>
#include <memory>

#include "base/counted.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/question.h"
#include "cli/replay.h"
#include "cli/selection.h"
#include "cli/stat_requests.h"
#include "cli/stat_rows.h"
#include "cli/table_output.h"
#include "cli/time_text.h"
#include "emit/text/stat_text.h"
#include "model/thread_label.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
exec = user + kernel + irq, to the nanosecond: a thread's own code; its system calls, faults and the
scheduler; interrupts that ran meanwhile. ready is the wait for a CPU, from being woken or preempted
to running, with median, 99th percentile (at most 1/16 off) and longest; blocked is all other waits.
The sums of waits by reason follow the name, with time about which the trace has no information.
--every also shows recorded counters: levels as means, totals per second, of the whole machine.
--by kind and --by function have two columns: time in itself, and with callees and interruptions.
--request sums up what requests took: exec, blocked and ready of their threads meanwhile.
Without --by: CPUs, then programs; with --request programs, then requests, longest first.
The output's name decides its format: .json, .csv, otherwise a table.

Examples:
  kutrace stat trace.raw
  kutrace stat --by thread --sort ready --top 10 trace.raw
  kutrace stat --every 100ms --name 'postgres*' trace.raw
  kutrace stat --request recvfrom..sendto --name redis-server trace.raw
  kutrace stat --by process trace.raw -o stat.csv

Exit codes: 0 done; 2 usage; 3 input unusable, or nothing matches; 5 output cannot be written.)";

struct Options {
  std::string file;
  std::vector<std::string> by;
  std::string every;
  std::string request;
  std::string sort;
  std::size_t top = 20;
  SelectionOptions part;
  TableOptions table;
  WidthOptions width;
};

// What rows are sorted by, most first.
Ns weight(const reports::StatRow& row, const std::string& sort) {
  const reports::StatSums& sums = row.sums;
  if (sort == "delay") return sums.ready.longest();
  if (sort == "switches") return static_cast<Ns>(sums.switches);
  if (sort == "moved") return static_cast<Ns>(sums.migrations);
  return shared_weight(sums, sort);
}

class Report {
 public:
  Report(const Options& options, const read::TraceInput& input)
      : options_(options), input_(input), part_(options.part, input, names_) {}

  Status run() {
    KUTRACE_TRY(check_words());
    reports::Stat::Options wanted;
    if (!options_.every.empty()) {
      KUTRACE_ASSIGN(wanted.every, parse_time(options_.every));
      if (wanted.every == 0) return fail(usage_error("an interval must last longer than nothing"));
    }
    if (tells_groups(options_.by)) part_.tell_moved();
    KUTRACE_TRY(part_.choose());
    wanted.windows = part_.windows();
    wanted.whole_threads = !part_.part().cpus;
    reports::Stat stat(names_, wanted);
    KUTRACE_ASSIGN(const TraceInfo info, part_.replay(stat, filters::Part::Use::kUncut));
    warn_of_gaps(input_, info);
    warn_of_unrecorded(input_, info);
    if (wanted.every != stat.every()) {
      log_warn("intervals are {} ms long, as there are at most {}",
               static_cast<double>(stat.every()) / 1e6, grouped(reports::Stat::kMostIntervals));
    }
    if (!stat.tells_calls()) {
      log_warn(
          "the trace holds pieces of calls only, so system calls, {}interrupts and softirqs "
          "are not counted; raw traces and pages of them tell of calls",
          stat.tells_faults() ? "" : "faults, ");
    } else if (!stat.tells_interrupts()) {
      log_warn("the trace holds pieces of interrupts and softirqs only, so they are not counted");
    }
    return write_lines(options_.table.output, [&](const TakeLine& line) -> Status {
      write(stat, info, line);
      return {};
    });
  }

 private:
  void write(const reports::Stat& stat, const TraceInfo& info, const TakeLine& line) const {
    emit::StatTold told;
    told.recorded = length_of(part_.windows_in(info));
    told.cpus = info.cpus.size();
    told.lives = stat.tells_lives();
    told.switches = info.facts.has(fact::kSource);
    told.calls = stat.tells_calls();
    told.interrupts = stat.tells_interrupts();
    told.faults = stat.tells_faults();
    const TableForm form = options_.table.form();
    told.top = form == TableForm::kTable ? options_.top : 0;
    told.width = table_width(options_.table, options_.width);
    const std::vector<emit::StatTable> tables = tables_of(stat, info);
    const emit::IntervalReadings readings = readings_of(tables.front(), info);
    told.readings = &readings;
    const Throttling throttling(info.facts, part_.windows_in(info));
    told.throttling = &throttling;
    if (form == TableForm::kJson) {
      line(emit::stat_json(tables, told));
    } else if (form == TableForm::kCsv) {
      emit::stat_csv(tables, told, line);
    } else {
      line(fmt::format("{:.6f} s on {}", static_cast<double>(told.recorded) / 1e9,
                       counted(told.cpus, "CPU", "CPUs")));
      for (const emit::StatTable& table : tables) {
        line("");
        emit::stat_table(table, told, line);
      }
      emit::readings_table(readings, told.width, line);
    }
  }

  // What only requests have.
  Status check_words() const {
    if (options_.sort != "took" && std::ranges::find(options_.by, "request") == options_.by.end())
      return {};
    return fail(usage_error("rows of requests are asked for, but no request is named")
                    .with_hint("--request A..B says which, for example recvfrom..sendto"));
  }

  // Of what was only read at the ends, intervals between say nothing; programs read when they like.
  static CounterRecords told_counters(const Facts& facts) {
    CounterRecords records = kutrace::readings_of(facts);
    if (!facts.has(fact::kCounterPeriod))
      std::erase_if(records.series,
                    [](const CounterSeries& series) { return series.unit != kProgramUnit; });
    return records;
  }

  // Of intervals, where the table is one of these.
  emit::IntervalReadings readings_of(const emit::StatTable& table, const TraceInfo& info) const {
    const bool told = table.by == reports::StatBy::kInterval && !table.of_kinds;
    emit::IntervalReadings readings{
        Readings(told ? told_counters(info.facts) : CounterRecords()), {}, {}};
    for (const reports::StatRow& row : table.rows)
      readings.intervals.push_back({row.begin, row.end});
    readings.process_name = [this, &info](Pid process) {
      return thread_label(process, info, names_);
    };
    return readings;
  }

  std::vector<emit::StatTable> tables_of(const reports::Stat& stat, const TraceInfo& info) const {
    if (!options_.every.empty()) {
      return {{reports::StatBy::kInterval, false, stat.rows(reports::StatBy::kInterval, info), {}}};
    }
    std::vector<std::string> names = options_.by;
    if (names.empty()) names = {"cpu", "program"};
    std::vector<emit::StatTable> tables;
    for (const std::string& name : names) {
      emit::StatTable& table = tables.emplace_back();
      table.of_kinds = name == "kind";
      if (table.of_kinds) {
        table.kinds = stat.kinds();
        continue;
      }
      table.of_functions = name == "function";
      if (table.of_functions) {
        table.functions = stat.functions();
        continue;
      }
      table.by = stat_by(name);
      table.rows = stat.rows(table.by, info);
      if (table.by == reports::StatBy::kCpu) continue;
      std::ranges::stable_sort(table.rows,
                               [&](const reports::StatRow& a, const reports::StatRow& b) {
                                 return weight(a, options_.sort) > weight(b, options_.sort);
                               });
    }
    return tables;
  }

  const Options& options_;
  const read::TraceInput& input_;
  NameTable names_;
  TraceSelection part_;
};

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  if (!options.request.empty()) {
    KUTRACE_TRY(write_request_tables({options.request, options.by, options.sort, options.top},
                                     options.part, input, options.table, options.width));
    return static_cast<int>(ExitCode::kDone);
  }
  KUTRACE_TRY(Report(options, input).run());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_stat(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command(
      "stat", "Sum up where time went, per CPU, program, thread, kind or interval");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace: raw, span JSON or page; - is standard input")
      .required();
  const Option by = command.add_option("--by", options->by, "rows; default: cpu and program")
                        .list()
                        .one_of({"cpu", "cgroup", "container", "pod", "program", "process",
                                 "thread", "kind", "function", "request"});
  Option every = command.add_option("--every", options->every, "a row per interval of this length")
                     .excludes(by);
  add_request_option(command, options->request).excludes("--every");
  command
      .add_option("--sort", options->sort,
                  "order of rows, most first; default: exec, for requests took")
      .one_of(
          {"exec", "took", "ready", "delay", "blocked", "switches", "moved", "faults", "syscalls"});
  command.add_option("--top", options->top, "rows of a table; the rest is summed up; 0: all")
      .at_least(0)
      .shows_default();
  for (const char* const of_rows : {"--sort", "--top"}) every.excludes(command.option(of_rows));
  add_selection_options(command, options->part);
  add_width_options(command, options->width);
  add_table_options(command, options->table);
  command.runs(options, run);
}

}  // namespace kutrace::cli
