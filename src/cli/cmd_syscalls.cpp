// SPDX-License-Identifier: BSD-3-Clause
// kutrace syscalls: system calls summed up, the slowest ones, and all of them as lines.
#include <algorithm>
#include <memory>
#include <optional>

#include "base/counted.h"
#include "base/shell_pattern.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/found_requests.h"
#include "cli/log.h"
#include "cli/next_command.h"
#include "cli/question.h"
#include "cli/replay.h"
#include "cli/selection.h"
#include "cli/table_output.h"
#include "emit/text/requests_text.h"
#include "emit/text/syscalls_text.h"
#include "format/ending_call.h"
#include "model/by_name.h"
#include "read/trace/trace_input.h"
#include "reports/requests.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Counts whole calls, from entry to return: total, mean, median, 99th percentile and longest include
the time that a call was blocked or waited for a CPU ("ready"); cpu_ms is its execution, including
callees and what interrupted it. The sums of waits by reason, unknown time, and errors by name follow
the name. Traces of the kernel module hold 16 bits of a result: a byte count that ends in the bits of
an error is taken for one. p50 and p99 are at most 1/16 off.
Windows of time select the calls that begin in them.
The output's name decides its format: .json, .csv, otherwise a table.

Examples:
  kutrace syscalls trace.raw
  kutrace syscalls --by program --top 5 trace.raw
  kutrace syscalls --call fsync,fdatasync --histogram --slowest 10 trace.raw
  kutrace syscalls --request recvfrom..sendto --name redis-server trace.raw
  kutrace syscalls --text --pid 1234 trace.raw | less

Exit codes: 0 done; 2 usage; 3 input unusable, or nothing matches; 5 output cannot be written.)";

struct Options {
  std::string file;
  TableOptions table;
  WidthOptions width;
  SelectionOptions part;
  std::string by = "all";
  std::vector<std::string> calls;
  std::string request;
  std::size_t top = 20;
  std::size_t slowest = 0;
  bool histogram = false;
  bool text = false;
};

// How to have them the next time, by who recorded.
std::string how_to_record(const TraceInfo& info) {
  struct Row {
    std::string_view source;
    const char* how;
  };
  static constexpr Row kRows[] = {
      {"perf", "perf record -a -e 'sched:sched_switch,raw_syscalls:*' records them"},
      {"trace-cmd", "trace-cmd record -e sched_switch -e raw_syscalls records them"},
      {"lttng", "lttng enable-event --kernel --syscall --all records them"},
      {"perfetto", "Perfetto's linux.ftrace records them as raw_syscalls/sys_enter and sys_exit"},
      {"text", "the kernel prints them where events/raw_syscalls is enabled"},
      {"ctf", "its metadata has no events of them"},
  };
  const std::string source = info.facts.get(fact::kSource).value_or("");
  const auto* const row = std::ranges::find(kRows, source, &Row::source);
  return row != std::end(kRows) ? row->how : "--events left syscalls out";
}

class Report {
 public:
  Report(const Options& options, const read::TraceInput& input)
      : options_(options),
        input_(input),
        part_(options.part, input, names_),
        is_wanted_name_(names_, [&options](const std::string& name) {
          return options.calls.empty() || fits_any(options.calls, name);
        }) {}

  Status run() {
    const bool in_requests = !options_.request.empty();
    if (cgroup_part(options_.by)) part_.tell_moved();
    KUTRACE_TRY(part_.choose(in_requests ? 2 : 1));
    if (in_requests) KUTRACE_TRY(find());
    return write_lines(options_.table.output, [this](const emit::LineSink& line) {
      return options_.text ? write_calls(line) : write_sums(line);
    });
  }

 private:
  bool wants(const Call& call) {
    ++seen_;
    if (!is_wanted_name_.of(call.name)) return false;
    ++named_;
    return requests_ ? requests_->has(call) : part_.wants(call);
  }

  Status find() {
    reports::Requests& requests = requests_.emplace();
    KUTRACE_ASSIGN(request_name_,
                   find_requests(options_.request, input_, names_, part_,
                                 [&](const reports::Interval& found) { requests.add(found); }));
    requests.finish();
    return {};
  }

  Status write_calls(const emit::LineSink& line) {
    bool is_any = false;
    const emit::LineSink counted_line = [&](std::string_view text) {
      is_any = true;
      line(text);
    };
    emit::SyscallLines lines(
        names_, [this](const Call& call) { return wants(call); }, counted_line);
    KUTRACE_ASSIGN(const TraceInfo info, part_.replay_whole(lines));
    warn_of_gaps(input_, info);
    return is_any ? Status() : none_found(info);
  }

  // Why the trace has no system calls at all.
  std::string why_none(const TraceInfo& info) const {
    if (const auto groups = info.facts.get(fact::kEvents);
        groups && std::ranges::find(*groups, "syscalls") == groups->end())
      return "they were not recorded: " + how_to_record(info);
    if (const auto threads = info.facts.get(fact::kRecordedThreads))
      return "only some threads were recorded, and none of these made a call, or there were "
             "none: " +
             printable(*threads);
    if (input_.is_raw()) return "no thread made one while it was recorded";
    return "span JSON holds pieces of calls only; raw traces and pages of them tell of calls, if "
           "these were recorded";
  }

  Status none_found(const TraceInfo& info) const {
    if (requests_)
      return fail(input_error("has no such system call within a " + request_name_)
                      .with_file(input_.name()));
    if (seen_ == 0)
      return fail(input_error("tells of no system calls")
                      .with_file(input_.name())
                      .with_hint(why_none(info)));
    const Error error = input_error("has no such system call").with_file(input_.name());
    if (named_ == 0)
      return fail(Error(error).with_hint(
          about_file("kutrace syscalls FILE lists the names of those it has", input_.name())));
    return fail(
        Error(error).with_hint(part_.none_chosen(counted(named_, "such call", "such calls"))));
  }

  Status write_sums(const emit::LineSink& line) {
    reports::Syscalls sums(names_, by(), options_.slowest,
                           [this](const Call& call) { return wants(call); });
    KUTRACE_ASSIGN(const TraceInfo info, part_.replay_whole(sums));
    warn_of_gaps(input_, info);
    if (sums.groups().empty()) return none_found(info);
    warn_of_edges(sums);
    const TableForm form = options_.table.form();
    if (form == TableForm::kJson) {
      line(emit::syscalls_json(sums.groups(), sums.slowest(), requests_ ? &*requests_ : nullptr));
    } else if (form == TableForm::kCsv) {
      emit::syscalls_csv(sums.groups(), line);
    } else {
      if (requests_) {
        emit::requests_line(request_name_, requests_->durations(), requests_->total(),
                            count_of(sums), line);
      }
      emit::syscalls_table(
          sums.groups(),
          {options_.top, options_.histogram, table_width(options_.table, options_.width)}, line);
      emit::slowest_table(sums.slowest(), table_width(options_.table, options_.width), line);
    }
    return {};
  }

  static std::uint64_t count_of(const reports::Syscalls& sums) {
    std::uint64_t calls = 0;
    for (const reports::SyscallGroup& group : sums.groups()) calls += group.all.calls;
    return calls;
  }

  // Their durations are what the trace holds of them. Nobody expects a return of calls that end a
  // thread.
  void warn_of_edges(const reports::Syscalls& sums) const {
    std::uint64_t inferred = 0;
    for (const reports::SyscallGroup& group : sums.groups()) {
      for (const reports::SyscallRow& row : group.rows) {
        if (!ends_thread(row.call)) inferred += row.sums.inferred;
      }
    }
    if (inferred == 0) return;
    log_info("of {} begin or end is not in the trace: what is counted is the part that is",
             counted(inferred, "call", "calls"));
  }

  reports::SyscallsBy by() const {
    using reports::SyscallsBy;
    if (options_.by == "thread") return SyscallsBy::kThread;
    if (options_.by == "process") return SyscallsBy::kProcess;
    if (options_.by == "cgroup") return SyscallsBy::kCgroup;
    if (options_.by == "container") return SyscallsBy::kContainer;
    if (options_.by == "pod") return SyscallsBy::kPod;
    if (options_.by == "file") return SyscallsBy::kFile;
    return options_.by == "program" ? SyscallsBy::kProgram : SyscallsBy::kAll;
  }

  const Options& options_;
  const read::TraceInput& input_;
  NameTable names_;
  TraceSelection part_;
  ByName<bool> is_wanted_name_;
  std::uint64_t seen_ = 0;                     // system calls of the trace
  std::uint64_t named_ = 0;                    // with the names that are asked for
  std::optional<reports::Requests> requests_;  // where they are asked for
  std::string request_name_;
};

Result<int> run(const Options& options) {
  if (options.text && options.table.form() != TableForm::kTable)
    return fail(usage_error("--text prints lines of text").with_hint("-o calls.txt"));
  if (options.histogram && options.table.form() != TableForm::kTable)
    return fail(usage_error("--histogram draws text below the rows of a table")
                    .with_hint("kutrace query sums up calls by buckets: hist(dur_ns)"));
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  KUTRACE_TRY(Report(options, input).run());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_syscalls(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("syscalls", "Sum up system calls, with waits and errors");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace: raw, or a page of one; - is standard input")
      .required();
  command.add_option("--by", options->by, "one table for all, or one for each of these")
      .one_of({"all", "thread", "process", "program", "cgroup", "container", "pod", "file"})
      .shows_default();
  command
      .add_option("--call", options->calls, "only calls with these names; * and ? match anything")
      .list();
  add_request_option(command, options->request);
  command.add_flag("--histogram", options->histogram,
                   "show the distribution of durations below each row");
  command.add_option("--slowest", options->slowest, "also list this many of the longest calls")
      .at_least(0)
      .shows_default();
  command
      .add_option("--top", options->top, "rows of a table, by time; the rest is summed up; 0: all")
      .at_least(0)
      .shows_default();
  Option text = command.add_flag("--text", options->text,
                                 "print a line for each call instead, as they return");
  add_selection_options(command, options->part);
  add_width_options(command, options->width);
  add_table_options(command, options->table);
  for (const char* table : {"--by", "--top", "--histogram", "--slowest", "--format"})
    text.excludes(command.option(table));
  command.runs(options, run);
}

}  // namespace kutrace::cli
