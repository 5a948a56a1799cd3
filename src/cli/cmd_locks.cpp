// SPDX-License-Identifier: BSD-3-Clause
// kutrace locks: which locks threads waited for, how long, and who held them.
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/next_command.h"
#include "cli/replay.h"
#include "cli/selection.h"
#include "cli/table_output.h"
#include "emit/text/locks_text.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Prints a row per lock: kernel locks that threads had to wait for, and futexes that threads slept on.
Contended locks come first, by time; below them futexes on which threads waited for work, which is
not contention. Needs a trace with the group locks: raw, or a page or container, which keep the last
eight digits of an address (...27c2ba80). Span JSON does not tell kinds of locks, and is refused.
Locks that programs tell of by marks are not in it: the page draws them, and kutrace query has them
in intervals. Of a wait that reaches out of a window of time, the part in it counts.
The output's name decides its format: .json, .csv, otherwise a table.

Examples:
  kutrace record --events +locks -- ./server --once
  kutrace locks trace.raw
  kutrace locks --name 'postgres*' --from 1.2s --to 1.3s trace.raw
  kutrace locks --top 0 -o locks.csv trace.raw

Exit codes: 0 done; 2 usage; 3 input unusable, or nothing matches; 5 output cannot be written.)";

struct Options {
  std::string file;
  std::size_t top = 20;
  SelectionOptions part;
  TableOptions table;
};

// What tells of all calls tells the numbers of moments, too.
Status tells_kinds(const read::TraceInput& input) {
  if (input.tells_nesting()) return {};
  return fail(input_error("does not tell what kinds of locks there are")
                  .with_file(input.name())
                  .with_hint("kutrace locks needs the raw trace, or a page of it; span JSON and "
                             "pages of old releases are not enough"));
}

// A lock of the kernel may be waited for by an interrupt, which is of no thread.
bool wants_wait(const TraceSelection& part, Pid pid, ThreadId thread, CpuId cpu) {
  if (pid <= 0) return !part.part().threads && part.part().wants_cpu(cpu);
  return part.wants_wait_of(pid, thread);
}

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  KUTRACE_TRY(tells_kinds(input));
  const auto addresses = input.is_raw() ? emit::Addresses::kWhole : emit::Addresses::kLowHalf;
  NameTable names;
  TraceSelection part(options.part, input, names);
  KUTRACE_TRY(part.choose());
  reports::LockWaits locks(names, {part.windows(), [&part](Pid pid, ThreadId thread, CpuId cpu) {
                                     return wants_wait(part, pid, thread, cpu);
                                   }});
  KUTRACE_ASSIGN(const TraceInfo info, part.replay_whole(locks));
  warn_of_gaps(input, info);
  const std::vector<reports::LockRow> rows = locks.rows(info);
  if (rows.empty() && options.part.any())
    return fail(input_error("has no such wait for a lock")
                    .with_file(input.name())
                    .with_hint(about_file(
                        "kutrace locks FILE shows all; kutrace record --events +locks records them",
                        input.name())));
  if (rows.empty())
    log_warn(
        "{} has no waits for locks of the kernel or futexes; kutrace record --events +locks "
        "records them; locks that marks tell of are not summed up, kutrace query has them in "
        "intervals",
        printable(input.name()));
  KUTRACE_TRY(write_lines(options.table.output, [&](const emit::LineSink& line) {
    switch (options.table.form()) {
      case TableForm::kJson:
        line(emit::locks_json(rows, addresses));
        break;
      case TableForm::kCsv:
        emit::locks_csv(rows, addresses, line);
        break;
      case TableForm::kTable:
        emit::locks_table(rows, options.top, addresses, info.facts, line);
        break;
    }
    return Status();
  }));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_locks(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("locks", "Show which locks threads waited for, and who held them");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace: raw, or a page of one; - is standard input")
      .required();
  command.add_option("--top", options->top, "rows of the table; 0: all")
      .at_least(0)
      .shows_default();
  add_selection_options(command, options->part);
  add_table_options(command, options->table);
  command.runs(options, run);
}

}  // namespace kutrace::cli
