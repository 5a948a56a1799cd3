// SPDX-License-Identifier: BSD-3-Clause
// kutrace diff: what changed between two traces, or two parts of one, and whether it is noise.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/counted.h"
#include "base/shell_pattern.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/output_form.h"
#include "cli/percent.h"
#include "cli/replay.h"
#include "cli/selection.h"
#include "cli/table_output.h"
#include "emit/text/diff_page.h"
#include "emit/text/diff_text.h"
#include "read/trace/trace_input.h"
#include "reports/diff.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
A row is a program, a thread name, a call, a wait reason or a kind of span, never an id. Its shift in
time is more (changed count) + slower (changed mean). Values are per second of recording. +- is half of
the 95 % interval of the shift; ~ marks what is within noise. With one run per side, equal runs differ
by more than that: several per side, as A1,A2,A3 or a folder, are tested against each other.
A PART is a window of time, FROM..TO, or the label of marks, as in --label.
--fail-over: exit code 1 if the time of a row grew by more than P % and beyond noise.

Examples:
  kutrace diff before.raw after.raw
  kutrace diff --by call --name server before.raw after.raw --fail-over 5%
  kutrace diff old1.raw,old2.raw,old3.raw new1.raw,new2.raw,new3.raw
  kutrace diff trace.raw --before 1s..2s --after 3s..4s
  kutrace diff before.raw after.raw -o diff.html

Exit codes: 0 done; 1 --fail-over: a row grew; 2 usage; 3 input unusable, or no verdict for
--fail-over; 5 output cannot be written.)";

struct Options {
  std::string before;
  std::string after;
  std::string before_part;
  std::string after_part;
  std::vector<std::string> by;
  std::vector<std::string> only;
  std::string fail_over;
  std::string fail_on;  // "time" if not told
  bool totals = false;
  std::size_t top = 20;
  SelectionOptions part;
  TableOptions table;
  WidthOptions width;
};

// "1s..2s" is a window, all else a label.
SelectionOptions with_part(SelectionOptions options, const std::string& part) {
  if (part.empty()) return options;
  const std::size_t dots = part.find("..");
  if (dots == std::string::npos) {
    options.label = part;
  } else {
    options.from = part.substr(0, dots);
    options.to = part.substr(dots + 2);
  }
  return options;
}

// A run of a side.
class Run {
 public:
  Run(const read::TraceInput& input, SelectionOptions options)
      : input_(input), options_(std::move(options)), part_(options_, input_, names_) {}

  Status read() {
    KUTRACE_TRY(part_.choose());
    reports::DiffSide side(names_, part_.windows());
    KUTRACE_ASSIGN(const TraceInfo info, part_.replay(side));
    warn_of_gaps(input_, info);
    warn_of_unrecorded(input_, info);
    tells_calls_ = side.tells_calls();
    if (!tells_calls_) {
      log_warn("{}: holds pieces of calls only, so there are no rows of calls",
               printable(input_.name()));
    }
    run_ = {side.rows(info),
            side.recorded(),
            side.tells_noise(),
            {reports::groups_lacking(info.facts, part_.windows_in(info)), side.lost_cpu_time()}};
    told_ = {input_.name(), 1, side.recorded(), side.block(), info.cpus.size()};
    return {};
  }

  reports::DiffRun take_run() { return std::move(run_); }
  const emit::DiffSideTold& told() const { return told_; }
  bool tells_calls() const { return tells_calls_; }

 private:
  const read::TraceInput& input_;
  const SelectionOptions options_;
  NameTable names_;
  TraceSelection part_;
  reports::DiffRun run_;
  emit::DiffSideTold told_;
  bool tells_calls_ = false;
};

bool wants(const Options& options, const reports::DiffKey& key) {
  const auto is_asked = [&](const std::string& name) {
    return name == reports::diff_by_name(key.by);
  };
  if (!options.by.empty() && std::ranges::none_of(options.by, is_asked)) return false;
  const std::string name = emit::diff_row_name(key);
  return options.only.empty() || fits_any(options.only, name);
}

struct Side {
  reports::DiffRuns runs;
  emit::DiffSideTold told;
  std::size_t with_calls = 0;  // runs that tell of them
};

// What some runs cannot tell of is not to look as if it had not happened.
Status leave_out_calls_of_some(const Options& options, Side& before, Side& after) {
  const std::size_t with_calls = before.with_calls + after.with_calls;
  if (with_calls == 0 || with_calls == before.runs.size() + after.runs.size()) return {};
  const auto asked = [&](const std::string& name) {
    return name == reports::diff_by_name(reports::DiffBy::kCall);
  };
  if (!options.fail_over.empty() && (options.by.empty() || std::ranges::any_of(options.by, asked)))
    return fail(input_error("some runs tell of calls and others of pieces of them only, so there "
                            "is no verdict on calls")
                    .with_hint("compare raw traces or pages of them, or other rows: --by kind"));
  for (Side* side : {&before, &after})
    for (reports::DiffRun& run : side->runs)
      std::erase_if(run.rows,
                    [](const auto& row) { return row.first.by == reports::DiffBy::kCall; });
  return {};
}

// The runs of a side: a trace; a folder of some; or names with commas between them.
Result<std::vector<std::string>> runs_of(const std::string& text) {
  std::error_code error;
  if (std::filesystem::is_directory(text, error) && !read::TraceInput::is_folder(text)) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(text, error)) {
      const std::string path = entry.path().string();
      if (entry.is_regular_file(error) || read::TraceInput::is_folder(path)) files.push_back(path);
    }
    std::ranges::sort(files);
    if (files.empty()) return fail(input_error("is an empty folder").with_file(text));
    return files;
  }
  if (std::filesystem::exists(text, error)) return std::vector{text};
  std::vector<std::string> files;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    files.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  for (const std::string& file : files) {
    if (file.empty()) return fail(usage_error("'" + text + "' has a comma without a name"));
    if (std::ranges::count(files, file) == 1) continue;
    if (file == "-") return fail(usage_error("standard input can be read once only"));
    return fail(usage_error("'" + file + "' stands twice on one side")
                    .with_hint("runs that are the same do not tell how runs differ"));
  }
  return files;
}

Result<std::vector<read::TraceInput>> open_all(const std::string& text) {
  KUTRACE_ASSIGN(const std::vector<std::string> files, runs_of(text));
  std::vector<read::TraceInput> inputs;
  for (const std::string& file : files) {
    KUTRACE_ASSIGN(read::TraceInput input, read::TraceInput::open(file));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// One run after the other, of each what is asked for.
Result<Side> read_side(const Options& options, const std::vector<read::TraceInput>& inputs,
                       const std::string& part) {
  Side side;
  for (const read::TraceInput& input : inputs) {
    Run run(input, with_part(options.part, part));
    KUTRACE_TRY(run.read());
    if (run.tells_calls()) ++side.with_calls;
    reports::DiffRun& kept = side.runs.emplace_back(run.take_run());
    std::erase_if(kept.rows, [&](const auto& row) { return !wants(options, row.first); });
    if (side.runs.size() == 1) {
      side.told = run.told();
      continue;
    }
    ++side.told.runs;
    side.told.name += ", " + run.told().name;
    side.told.recorded += run.told().recorded;
  }
  return side;
}

const reports::DiffMeasure& measure_of(const reports::DiffRow& row, const std::string& measured) {
  if (measured == "count") return row.count;
  return measured == "mean" ? row.mean : row.time;
}

// What runs differ by is not in the interval of one run a side, so that all of it counts.
bool grew(const reports::DiffMeasure& measure, double percent, bool between_runs) {
  if (!measure.changed) return false;
  if (between_runs || measure.before == 0) return measure.growth() > percent;
  return 100 * (measure.change() - measure.off) > percent * measure.before;
}

// What the largest value of a measure is called.
std::string_view most_of(const std::string& measured) {
  if (measured == "count") return "highest count";
  return measured == "mean" ? "longest mean" : "most time";
}

// A row that varies by more than the limit passes it whatever happened; says how many do.
void tell_unseen(const std::vector<reports::DiffRow>& rows, const std::string& measured,
                 double percent) {
  const reports::DiffRow* largest = nullptr;
  std::size_t unseen = 0;
  for (const reports::DiffRow& row : rows) {
    const reports::DiffMeasure& measure = measure_of(row, measured);
    if (!measure.tested || measure.changed || measure.before == 0) continue;
    if (100 * measure.off <= percent * measure.before) continue;
    ++unseen;
    if (largest == nullptr || measure.before > measure_of(*largest, measured).before)
      largest = &row;
  }
  if (largest == nullptr) return;
  const reports::DiffMeasure& measure = measure_of(*largest, measured);
  log_info(
      "rows that vary by more than {} %, so that such a growth of them is not seen: {} of {}; the "
      "one with the {} in A is {} {}, +-{:.1f} %: more runs, longer ones or a quieter machine tell "
      "more",
      percent, unseen, rows.size(), most_of(measured), reports::diff_by_name(largest->key.by),
      emit::diff_row_name(largest->key), 100 * measure.off / measure.before);
}

// What grew by more than the limit, but is too little to be tested; or is new, of which one run
// cannot tell that it was not for this once. Names the first of them: rows come by their shift.
void tell_unjudged(const std::vector<reports::DiffRow>& rows, const std::string& measured,
                   double percent) {
  constexpr std::size_t kMostNamed = 3;
  std::size_t unjudged = 0;
  std::string named;
  for (const reports::DiffRow& row : rows) {
    const reports::DiffMeasure& measure = measure_of(row, measured);
    if (row.lacks() || measure.changed || (measure.tested && measure.before != 0)) continue;
    if (!(measure.growth() > percent)) continue;
    if (++unjudged > kMostNamed) continue;
    named += fmt::format("{}{} {} ({})", named.empty() ? "" : ", ",
                         reports::diff_by_name(row.key.by), emit::diff_row_name(row.key),
                         measure.before == 0 ? "new" : fmt::format("{:+.1f} %", measure.growth()));
  }
  if (unjudged == 0) return;
  log_info(
      "rows whose {} grew by more than {} %, but of which there is too little to tell chance from "
      "change: {} of {}; {}{}: more runs or longer ones tell more",
      measured, percent, unjudged, rows.size(), unjudged > kMostNamed ? "first " : "", named);
}

bool any_tested(const std::vector<reports::DiffRow>& rows, const std::string& measured) {
  return std::ranges::any_of(
      rows, [&](const reports::DiffRow& row) { return measure_of(row, measured).tested; });
}

// Says which; whether there are any.
Result<bool> tell_growth(const std::vector<reports::DiffRow>& rows, const Options& options,
                         double percent, const emit::DiffTold& told) {
  const bool between_runs = told.between_runs();
  const std::string measured = options.fail_on.empty() ? "time" : options.fail_on;
  std::size_t found = 0;
  for (const reports::DiffRow& row : rows) {
    if (!grew(measure_of(row, measured), percent, between_runs)) continue;
    ++found;
    log_warn("{} {}: {} grew by more than {} %", reports::diff_by_name(row.key.by),
             emit::diff_row_name(row.key), measured, percent);
  }
  if (found != 0 && !between_runs) {
    log_warn(
        "one run a side does not tell what equal runs differ by; several do: A1,A2,A3 B1,B2,B3");
  }
  tell_unseen(rows, measured, percent);
  tell_unjudged(rows, measured, percent);
  if (const std::string lacks = emit::diff_lacks(rows, told); found == 0 && !lacks.empty()) {
    return fail(input_error(fmt::format("no verdict is possible on {} of {}: {}",
                                        std::ranges::count_if(rows, &reports::DiffRow::lacks),
                                        counted(rows.size(), "row", "rows"), lacks))
                    .with_hint("record both sides alike, or compare other rows: --by, --only"));
  }
  if (any_tested(rows, measured)) return found != 0;
  return fail(input_error("no verdict is possible: of no row is there enough to tell chance from "
                          "change")
                  .with_hint("a row needs 5 of the 80 blocks of time of a side: compare longer "
                             "recordings, or other rows"));
}

// From the answer's page to a side's, if that is one page.
std::string link_to(const emit::DiffSideTold& side, const std::string& output) {
  if (side.runs != 1 || form_of_output(side.name) != OutputForm::kPage) return {};
  std::error_code error;
  const std::filesystem::path page = output == "-" ? "page.html" : output;
  const std::filesystem::path from = std::filesystem::absolute(page, error).parent_path();
  const std::filesystem::path link =
      std::filesystem::proximate(std::filesystem::absolute(side.name, error), from, error);
  return error ? std::string() : link.generic_string();
}

Status write(const std::vector<reports::DiffRow>& rows, const emit::DiffTold& told,
             const TableOptions& table) {
  return write_lines(table.output, [&](const TakeLine& line) -> Status {
    const TableForm form = table.form();
    if (table.is_page()) {
      emit::diff_page(rows, told,
                      {link_to(told.before, table.output), link_to(told.after, table.output)},
                      line);
    } else if (form == TableForm::kJson) {
      line(emit::diff_json(rows, told));
    } else if (form == TableForm::kCsv) {
      emit::diff_csv(rows, told, line);
    } else {
      emit::diff_table(rows, told, line);
    }
    return {};
  });
}

Status check_usage(const Options& options) {
  const bool parts = !options.before_part.empty();
  if (parts != !options.after_part.empty()) {
    return fail(usage_error("--before and --after go together"));
  }
  if (options.after.empty() && !parts) {
    return fail(usage_error("one trace has nothing to be compared with")
                    .with_hint("kutrace diff A B, or --before PART --after PART"));
  }
  if (parts && options.part.any_time()) {
    return fail(usage_error("--before and --after are windows of time already"));
  }
  if (!options.fail_on.empty() && options.fail_over.empty()) {
    return fail(usage_error("--fail-on says what --fail-over looks at, which is not given"));
  }
  if (options.before == "-" && options.after == "-") {
    return fail(usage_error("standard input can be read once only"));
  }
  return {};
}

Result<int> run(const Options& options) {
  KUTRACE_TRY(check_usage(options));
  double percent = 0;
  if (!options.fail_over.empty()) {
    KUTRACE_ASSIGN(percent, parse_percent("--fail-over", options.fail_over));
  }
  KUTRACE_ASSIGN(const auto first, open_all(options.before));
  std::vector<read::TraceInput> second;
  if (!options.after.empty()) {
    KUTRACE_ASSIGN(second, open_all(options.after));
  }
  KUTRACE_ASSIGN(Side before, read_side(options, first, options.before_part));
  KUTRACE_ASSIGN(Side after,
                 read_side(options, second.empty() ? first : second, options.after_part));
  KUTRACE_TRY(leave_out_calls_of_some(options, before, after));
  const bool noise = reports::tells_noise(before.runs, after.runs);
  if (!noise && !options.fail_over.empty()) {
    return fail(input_error("no verdict is possible: a side is shorter than 80 ms, or was not "
                            "ended in order")
                    .with_hint("without --fail-over, what changed is shown as it is"));
  }
  const std::vector<reports::DiffRow> rows =
      reports::diff(before.runs, after.runs, {options.totals});
  if (rows.empty()) return fail(input_error("neither side contains anything that was asked for"));
  const emit::DiffTold told = {before.told, after.told,
                               noise,       options.totals,
                               options.top, table_width(options.table, options.width)};
  KUTRACE_TRY(write(rows, told, options.table));
  bool failed = false;
  if (!options.fail_over.empty()) {
    KUTRACE_ASSIGN(failed, tell_growth(rows, options, percent, told));
  }
  return static_cast<int>(failed ? ExitCode::kFindings : ExitCode::kDone);
}

}  // namespace

void add_diff(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("diff", "Show what changed between two traces");
  command.footer(kFooter);
  command
      .add_option("A", options->before,
                  "trace: raw, span JSON or page, or several; - is standard input")
      .required();
  command.add_option("B", options->after, "the other side; optional with --before and --after");
  command.add_option("--before", options->before_part, "PART of A");
  command.add_option("--after", options->after_part, "PART of B, or of A");
  command.add_option("--by", options->by, "rows; default: all")
      .list()
      .one_of({"program", "thread", "call", "wait", "kind"});
  command.add_option("--only", options->only, "only rows with these names; * and ? match anything")
      .list();
  command.add_flag("--total", options->totals, "compare sums, not values per second");
  command.add_option("--fail-over", options->fail_over,
                     "exit code 1 if a row grew by more than this: 5%");
  command.add_option("--fail-on", options->fail_on, "what must not grow; default: time")
      .one_of({"time", "count", "mean"});
  command.add_option("--top", options->top, "rows of a table; the rest is summed up; 0: all")
      .at_least(0)
      .shows_default();
  add_selection_options(command, options->part);
  add_width_options(command, options->width);
  add_table_options(command, options->table, Pages::kWritten);
  command.runs(options, run);
}

}  // namespace kutrace::cli
