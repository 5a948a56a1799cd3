// SPDX-License-Identifier: BSD-3-Clause
// kutrace profile: where the time of each CPU, thread and RPC went.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>

#include "base/large_pages.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/output_form.h"
#include "cli/replay.h"
#include "cli/selection.h"
#include "cli/span_output.h"
#include "cli/table_output.h"
#include "emit/text/profile_text.h"
#include "emit/text/stack_text.h"
#include "read/trace/trace_input.h"
#include "reports/profile_page.h"
#include "reports/stack_profile.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Prints a row per CPU, thread and RPC, and in it a line per name, by time: executing, then samples and
locks held, waits, idle, and unknown time. p50 and p99 are at most 1/16 off. Count and durations are
those of whole calls, including waits; or of pieces, where nothing is called, in rows of RPCs, and in
traces that hold only spans.
--group merges rows with the same name: all of them as NAME_AVG, and by elapsed time as NAME_1us,
NAME_2us, ... NAME_8s, so that slow requests can be compared with fast ones. Sums of a group are
means per row. The output's name decides its format: .json, .csv, .html or .kux a page with a bar
for each row, otherwise a table.

Examples:
  kutrace profile --by threads trace.raw | less -S
  kutrace profile --by rpcs --group trace.raw
  kutrace profile --by threads --cgroup nginx.service trace.raw
  kutrace profile --group trace.raw -o profile.html
  kutrace profile --stacks off trace.raw | flamegraph.pl --countname ns >off.svg

Exit codes: 0 done; 2 usage; 3 input unusable; 5 output cannot be written.)";

// Of cells: of 200 threads with 400 names each they are 25 MB.
constexpr std::size_t kHeap = std::size_t{64} << 20;

constexpr auto kOfGroups = {reports::ProfileOf::kCgroups, reports::ProfileOf::kContainers,
                            reports::ProfileOf::kPods};

struct Options {
  std::string file;
  std::string output = "-";
  std::string format;
  std::string stacks;
  std::vector<std::string> by;
  std::string sort;  // empty: by time, groups by name
  std::size_t top = 20;
  bool group = false;
  bool all = false;
  SelectionOptions part;
  WidthOptions width;
};

bool wants(const Options& options, reports::ProfileOf of) {
  const auto asked = [&](const std::string& name) {
    return name.starts_with(reports::profile_of_name(of));
  };
  if (options.by.empty()) return of <= reports::ProfileOf::kRpcs;
  return std::any_of(options.by.begin(), options.by.end(), asked);
}

std::string form_of(const Options& options) {
  if (!options.format.empty()) return options.format;
  switch (form_of_output(options.output)) {
    case OutputForm::kSpanJson:
      return "json";
    case OutputForm::kCsv:
      return "csv";
    case OutputForm::kPage:
    case OutputForm::kContainer:
      return "page";
    default:
      return "table";
  }
}

// The first rows are what people look for; groups of one name belong side by side.
bool sorts_by_time(const Options& options) {
  return options.sort.empty() ? !options.group : options.sort == "time";
}

Status write_page(const Options& options, const std::vector<reports::ProfileRow>& rows,
                  const TraceInfo& info, NameTable& names) {
  SpanOutput::Options page;
  page.path = options.output;
  page.title = "profile of " + options.file.substr(options.file.rfind('/') + 1);
  KUTRACE_ASSIGN(const auto output, SpanOutput::create(page, names));
  return output->finish(reports::lay_out_profile(rows, info, names, output->sink()));
}

Result<TraceInfo> replay_part(const Options& options, const read::TraceInput& input,
                              NameTable& names, SpanSink& sink) {
  TraceSelection part(options.part, input, names);
  if (std::ranges::any_of(kOfGroups, [&](reports::ProfileOf of) { return wants(options, of); }))
    part.tell_moved();
  KUTRACE_TRY(part.choose());
  return part.replay(sink);
}

// Stacks instead of names.
Result<int> run_stacks(const Options& options) {
  const std::string form = form_of(options);
  if (form == "page")
    return fail(usage_error("stacks are text, CSV or JSON").with_hint("-o stacks.txt"));
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  NameTable names;
  reports::StackProfile profile(names);
  KUTRACE_ASSIGN(const TraceInfo info, replay_part(options, input, names, profile));
  warn_of_gaps(input, info);
  if (!profile.has_stacks())
    return fail(input_error(options.part.any() ? "has no stacks in the part that was chosen"
                                               : "has no stacks")
                    .with_file(input.name())
                    .with_hint("kutrace record --stacks records them; pages and span JSON do not "
                               "hold them"));
  const bool by_thread = std::ranges::find(options.by, "threads") != options.by.end();
  std::vector<reports::StackRow> rows = profile.rows(info, by_thread);
  std::erase_if(rows, [&](const reports::StackRow& row) {
    return options.stacks != (row.wait != 0 ? "off" : "on");
  });
  KUTRACE_TRY(write_lines(options.output, [&](const emit::LineSink& line) {
    if (form == "json") {
      line(emit::stacks_json(rows));
    } else if (form == "csv") {
      emit::stacks_csv(rows, line);
    } else {
      emit::folded_stacks(rows, line);
    }
    return Status();
  }));
  return static_cast<int>(ExitCode::kDone);
}

Status check_options(const Options& options) {
  const auto is_other = [](const std::string& rows) { return rows != "threads"; };
  if (!options.stacks.empty() && std::ranges::any_of(options.by, is_other))
    return fail(
        usage_error("stacks are of programs").with_hint("--by threads tells threads apart"));
  if (options.all && !options.group)
    return fail(usage_error("--all is about merged rows").with_hint("--group merges them"));
  return {};
}

Result<int> run_rows(const Options& options) {
  prefer_large_pages_in_heap(kHeap);
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  NameTable names;
  reports::Profile profile(names);
  KUTRACE_ASSIGN(const TraceInfo info, replay_part(options, input, names, profile));
  warn_of_gaps(input, info);
  std::vector<reports::ProfileRow> rows = profile.rows(info);
  std::vector<reports::ProfileRow> groups;
  for (const auto of : kOfGroups) {
    if (wants(options, of)) {
      std::ranges::move(reports::rows_of_groups(rows, of), std::back_inserter(groups));
    }
  }
  std::ranges::move(groups, std::back_inserter(rows));
  std::erase_if(rows, [&](const reports::ProfileRow& row) { return !wants(options, row.of); });
  const bool had_rows = !rows.empty();
  if (options.group) rows = reports::grouped_rows(rows, options.all);
  if (had_rows && rows.empty())
    log_info("each name has one row, so --group merges none; --all shows them");
  const std::string form = form_of(options);
  if (sorts_by_time(options)) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const reports::ProfileRow& a, const reports::ProfileRow& b) {
                       if (a.of != b.of) return a.of < b.of;
                       return a.of != reports::ProfileOf::kCpus && a.on_cpu > b.on_cpu;
                     });
  }
  if (form == "page") {
    KUTRACE_TRY(write_page(options, rows, info, names));
    return static_cast<int>(ExitCode::kDone);
  }
  KUTRACE_TRY(write_lines(options.output, [&](const emit::LineSink& line) {
    if (form == "json") {
      line(emit::profile_json(rows));
    } else if (form == "csv") {
      emit::profile_csv(rows, line);
    } else {
      emit::profile_table(rows, options.top,
                          table_width({.format = "", .output = options.output}, options.width),
                          line);
    }
    return Status();
  }));
  return static_cast<int>(ExitCode::kDone);
}

Result<int> run(const Options& options) {
  KUTRACE_TRY(check_options(options));
  return options.stacks.empty() ? run_rows(options) : run_stacks(options);
}

}  // namespace

void add_profile(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("profile", "Sum up time per CPU, thread, RPC and name");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace: raw, span JSON or page; - is standard input")
      .required();
  command.add_option("--by", options->by, "rows; default: cpus, threads and rpcs")
      .list()
      .one_of({"cpus", "threads", "rpcs", "cgroups", "containers", "pods"});
  command
      .add_option("--stacks", options->stacks,
                  "folded stacks instead of rows: on, of samples; off, of waits, in ns")
      .one_of({"on", "off"});
  command.add_flag("--group", options->group, "merge rows with the same name, by elapsed time")
      .excludes("--stacks");
  command.add_flag("--all", options->all, "with --group: also names with a single row")
      .excludes("--stacks");
  command.add_option("--sort", options->sort, "default: time, but name for groups")
      .one_of({"name", "time"})
      .excludes("--stacks");
  command
      .add_option("--top", options->top,
                  "lines per row of a table; waits and idle are never omitted; 0: all")
      .at_least(0)
      .shows_default()
      .excludes("--stacks");
  add_selection_options(command, options->part);
  add_width_options(command, options->width);
  command.add_option("--format", options->format, "default: by the output's name")
      .one_of({"table", "csv", "json"});
  command.add_option("-o,--output", options->output, "where the result goes; - is standard output")
      .shows_default();
  command.runs(options, run);
}

}  // namespace kutrace::cli
