// SPDX-License-Identifier: BSD-3-Clause
// kutrace query: SQL over the tables of a trace, from the command line, standard input or a shell.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/path_rows.h"
#include "cli/query_shell.h"
#include "cli/replay.h"
#include "cli/table_output.h"
#include "query/database.h"
#include "query/needed_tables.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"help(
Tables: spans, calls, waits, wakeups, marks, samples, points, functions, intervals, threads,
processes, cpus, rpcs, losses, counters, metadata, readings. Grouped sums, faster than GROUP BY:
span_totals, call_totals, wait_totals. Spans between two times: overlap(from_ns, to_ns); why a
thread took so long between two times: critical_path(tid, from_ns, to_ns). All times are
nanoseconds. In addition to SQLite's functions: percentile(x, p), stddev(x), hist(x), quantize(x),
lquantize(x, least, most, step).
Without SQL, statements are read from standard input; on a terminal that is a shell. Instead of SQL:
.help, .tables, .schema. SQL can only read. The output's name decides its format: .json, .csv,
otherwise a table.

Examples:
  kutrace query trace.raw "select name, count, total_ns from call_totals order by total_ns desc limit 5"
  kutrace query trace.raw "select name, percentile(dur_ns, 99) from calls group by name"
  kutrace query --format csv -e "select * from overlap(1000000, 2000000)" trace.raw

Exit codes: 0 done; 2 usage, SQL; 3 input unusable; 4 a limit was reached, or built without SQLite;
5 output cannot be written.)help";

constexpr std::uint64_t kMegabyte = 1 << 20;

struct Options {
  std::string file;
  std::string sql;
  std::vector<std::string> statements;
  TableOptions table;
  double timeout = 0;
  std::uint64_t memory = 1024;
};

std::string without_statement(const std::string& sql) {
  return sql.find_first_not_of("; \t\n") == sql.npos ? "the SQL is empty" : "";
}

Status ask(const Options& options, query::Database& database, const TextOut& out) {
  std::vector<std::string> statements = options.statements;
  if (!options.sql.empty()) statements.push_back(options.sql);
  if (statements.empty()) return QueryShell(database, options.table.form(), out).read();
  if (std::ranges::any_of(statements, is_shell_command))
    return QueryShell(database, options.table.form(), out).obey(statements);
  KUTRACE_ASSIGN(const std::size_t results, database.expect(statements));
  const auto rows = rows_as(options.table.form(), out, results);
  for (const std::string& sql : statements) KUTRACE_TRY(database.run(sql, *rows));
  return {};
}

// A trace, of which what statements need is in memory, and SQL over it.
class Loaded {
 public:
  explicit Loaded(const read::TraceInput& input)
      : paths_(input),
        tables_(
            names_,
            {.slabs = [this, &input] { return input.slabs(names_); },
             .replay = [this, &input](SpanSink& sink) { return replay_shown(input, names_, sink); },
             .first_read = [&input](const TraceInfo& info) { warn_of_gaps(input, info); }}) {}
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() = default;

  Result<query::Database> open(const Options& options) {
    const auto time =
        std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(options.timeout * 1000)));
    const query::Limits limits{.memory = options.memory * kMegabyte, .time = time};
    return query::Database::open(tables_.tables(), limits, &tables_, {paths_.function()});
  }

 private:
  PathRows paths_;
  NameTable names_;
  query::NeededTables tables_;
};

Status talk(const Options& options, const read::TraceInput& input) {
  const TextOut out = [](std::string_view text) {
    std::cout << text << std::flush;
    return std::cout.good();
  };
  Loaded loaded(input);
  KUTRACE_ASSIGN(query::Database database, loaded.open(options));
  return QueryShell(database, options.table.form(), out).talk();
}

Status answer(const Options& options, const read::TraceInput& input) {
  KUTRACE_ASSIGN(OutputFile file, OutputFile::create(options.table.output));
  Loaded loaded(input);
  KUTRACE_ASSIGN(query::Database database, loaded.open(options));
  Status asked =
      ask(options, database, [&file](std::string_view text) { return file.write(text); });
  // What the statements before printed stays printed; a file is whole, or is not there.
  const bool is_shell = options.sql.empty() && options.statements.empty();
  if (!asked && !(is_shell && options.table.output == "-")) return asked;
  Status written = file.finish();
  return asked ? std::move(written) : std::move(asked);
}

Result<int> run(const Options& options) {
  KUTRACE_TRY(query::Database::available());
  const bool asked = !options.sql.empty() || !options.statements.empty();
  if (!asked && options.file == "-") {
    return fail(usage_error("standard input is the trace, and the SQL is missing")
                    .with_hint("name the SQL behind the trace"));
  }
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  const bool at_terminal = !asked && options.table.output == "-" && isatty(STDIN_FILENO) == 1;
  KUTRACE_TRY(at_terminal ? talk(options, input) : answer(options, input));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_query(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("query", "Query a trace in SQL");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace in any format; - is standard input").required();
  command.add_option("sql", options->sql, "SQL statements, separated by ;")
      .check(without_statement);
  command.add_option("-e,--execute", options->statements, "SQL before the trace; may be repeated")
      .one_each_time()
      .check(without_statement);
  command.add_option("--timeout", options->timeout, "time limit of a statement in seconds; 0: none")
      .between(0.0, 1e6)
      .shows_default();
  command
      .add_option("--memory-mb", options->memory,
                  "memory limit of SQL in MB, in addition to the tables")
      .between(1, 1 << 20)
      .shows_default();
  add_table_options(command, options->table);
  command.runs(options, run);
}

}  // namespace kutrace::cli
