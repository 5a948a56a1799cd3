// SPDX-License-Identifier: BSD-3-Clause
// kutrace export: a trace, or a part of it, for another tool.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/output_form.h"
#include "cli/replay.h"
#include "cli/selection.h"
#include "cli/span_output.h"
#include "emit/parquet/blame_table.h"
#include "emit/parquet/tables.h"
#include "emit/text/cause_text.h"
#include "read/trace/trace_input.h"
#include "reports/blame.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Formats, their suffixes, and the tools that read them:
  perfetto    .pftrace .perfetto-trace  ui.perfetto.dev, trace_processor
  chrome      .chrome.json              chrome://tracing, Perfetto, speedscope
  folded      .folded                   flamegraph.pl, speedscope
  speedscope  .speedscope.json          speedscope
  pprof       .pb.gz .pprof             go tool pprof, Perfetto
  parquet     .parquet                  DuckDB, ClickHouse, Spark, Trino
  csv         .csv                      everything
  otlp        .otlp.json                OpenTelemetry: requests and marks
  ctf         .ctf, a folder            babeltrace2, Trace Compass, lttng-analyses
  json html kux                         the same as kutrace spans and report

Parquet has one table per file, chosen by --table. totals are sums by minute, small enough to keep for
every host. Spans that extend beyond the window are cut at its edge; calls are exported whole.

Examples:
  kutrace export trace.raw -o trace.pftrace
  kutrace export --to pprof trace.raw | pprof -http : -
  kutrace export trace.raw -o trace.ctf && babeltrace2 trace.ctf
  kutrace export --label reqst trace.raw -o requests.speedscope.json
  kutrace export --to parquet --table totals trace.raw -o totals.parquet

Exit codes: 0 done; 2 usage; 3 input unusable, or nothing matches; 5 output cannot be written.)";

struct Options {
  std::string file;
  std::string format;
  SelectionOptions part;
  SpanOutput::Options output;
};

Error no_such_form(const std::string& word) {
  const std::vector<std::string_view> names = export_form_names();
  return usage_error(fmt::format("there is no export format '{}'", word))
      .with_hint(meant_or(word, names, fmt::format("formats: {}", fmt::join(names, ", "))));
}

Result<OutputForm> take_form(const std::string& format, const SelectionOptions& part,
                             const std::string& path) {
  if (!format.empty()) {
    if (const std::optional<OutputForm> said = export_form(format)) return *said;
    return fail(no_such_form(format));
  }
  const bool is_word = !part.to.empty() && part.to.front() >= 'a' && part.to.front() <= 'z';
  if (is_word) return fail(no_such_form(part.to));
  const OutputForm named = form_of_output(path);
  if (named != OutputForm::kText) return named;
  return fail(usage_error("the output format is not known")
                  .with_hint(fmt::format("--to {}", fmt::join(export_form_names(), "|"))));
}

// What waits went to, which may need the trace twice.
Status export_blame(const SpanOutput::Options& output, const SelectionOptions& chosen,
                    const read::TraceInput& input) {
  NameTable names;
  TraceSelection part(chosen, input, names);
  KUTRACE_TRY(part.choose());
  KUTRACE_ASSIGN(OutputFile file, OutputFile::create(output.path));
  reports::BlameSink sink(
      part.windows_or_whole(), names,
      [&part](const reports::Piece& wait, const reports::Happenings& happenings) {
        return part.wants_wait_of(happenings.pid_of(wait.row), happenings.thread_of(wait.row));
      },
      0);
  KUTRACE_ASSIGN(const TraceInfo info, part.replay_whole(sink));
  while (sink.wants_again()) KUTRACE_TRY(part.replay_whole(sink));
  warn_of_gaps(input, info);
  const emit::CauseText text(sink.happenings(), names, info.facts);
  KUTRACE_TRY(emit::write_blame_table(
      sink.blame(),
      [&text](const reports::Cause& cause) { return text.words(cause, reports::kNoRow); }, info,
      [&file](std::string_view bytes) { return file.write(bytes); }));
  return file.finish();
}

// In a timeline of switches, a thread runs until the next switch.
filters::Part::Use use_of(OutputForm form) {
  switch (form) {
    case OutputForm::kPerfetto:
    case OutputForm::kCtf:
    case OutputForm::kChrome:
      return filters::Part::Use::kTimeline;
    case OutputForm::kPage:
    case OutputForm::kContainer:
    case OutputForm::kSpanJson:
    case OutputForm::kText:
      return filters::Part::Use::kSpans;
    default:
      return filters::Part::Use::kRows;
  }
}

Result<int> run(const Options& options) {
  SpanOutput::Options output = options.output;
  const SelectionOptions& chosen = options.part;
  KUTRACE_ASSIGN(output.form, take_form(options.format, chosen, output.path));
  if (output.table != "spans" && output.form != OutputForm::kParquet) {
    return fail(usage_error("--table is for Parquet, but the output has another format"));
  }
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  if (output.table == emit::kBlameTable) {
    KUTRACE_TRY(export_blame(output, chosen, input));
    return static_cast<int>(ExitCode::kDone);
  }
  NameTable names;
  TraceSelection part(chosen, input, names);
  KUTRACE_TRY(part.choose());
  KUTRACE_ASSIGN(const auto made, SpanOutput::create(output, names));
  KUTRACE_ASSIGN(const TraceInfo info, part.replay(made->sink(), use_of(*output.form)));
  warn_of_gaps(input, info);
  KUTRACE_TRY(made->finish(info));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

std::vector<std::string> with_export_form(std::vector<std::string> words) {
  constexpr std::string_view kTo = "--to";
  constexpr const char* kFormat = "--format";
  if (words.empty() || words.front() != "export") return words;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == kTo && i + 1 < words.size() && export_form(words[i + 1])) words[i] = kFormat;
    if (words[i].starts_with("--to=") && export_form(words[i].substr(kTo.size() + 1)))
      words[i].replace(0, kTo.size(), kFormat);
  }
  return words;
}

void add_export(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("export", "Write the trace for another tool");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace: raw, span JSON or page; - is standard input")
      .required();
  command.add_option("--table", options->output.table, "the Parquet table")
      .one_of(emit::parquet_tables())
      .shows_default();
  add_selection_options(command, options->part);
  command.add_option("--format", options->format,
                     "a format listed below, also as --to FORMAT; default: by the output's name");
  add_output_options(command, options->output).shows_default();
  command.runs(options, run);
}

}  // namespace kutrace::cli
