// SPDX-License-Identifier: BSD-3-Clause
// kutrace spans: any trace as upstream's span JSON.
#include <fmt/format.h>

#include <memory>

#include "base/counted.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/output_file.h"
#include "cli/replay.h"
#include "cli/spill_file.h"
#include "emit/span_json/span_json.h"
#include "model/default_title.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Writes the spans in the JSON of KUtrace's own tools. spantotrim, spantospan, spantoprof, makeself and
every command of kutrace read it. Times are rounded to 10 ns.

Examples:
  kutrace spans trace.raw -o trace.json
  kutrace spans trace.raw | makeself show_cpu.html > trace.html
  kutrace spans published.html -o published.json     the spans of a published page

Exit codes: 0 done; 2 usage; 3 input unusable; 5 output cannot be written.)";

struct Options {
  std::string file;
  std::string output = "-";
  std::string title;
};

// The one asked for, the input's own, the recorded command, or the file's name.
std::string title_of(const Options& options, const read::TraceInput& input, const TraceInfo& info) {
  if (!options.title.empty()) return options.title;
  if (!input.title().empty()) return input.title();
  if (std::string title = recorded_title(info); !title.empty()) return title;
  return options.file == "-" ? "kutrace" : options.file.substr(options.file.rfind('/') + 1);
}

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  KUTRACE_ASSIGN(OutputFile out, OutputFile::create(options.output));
  NameTable names;
  SpillFile spill(options.output);
  emit::SpanJson json(&spill);
  KUTRACE_ASSIGN(const TraceInfo info, replay_shown(input, names, json));
  warn_of_gaps(input, info);
  KUTRACE_ASSIGN(const emit::SpanJsonSummary summary,
                 json.write(info, names, title_of(options, input, info),
                            [&](std::string_view text) { out.write(text); }));
  KUTRACE_TRY(out.finish());
  if (summary.beyond_upstream) {
    log_warn("the trace goes beyond 999 s: kutrace reads all of it, KUtrace's tools do not");
  }
  if (options.output != "-") {
    log_info("{}: {}", printable(options.output), counted(summary.records, "record", "records"));
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_spans(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("spans", "Write the spans as KUtrace's JSON");
  command.footer(kFooter);
  command.add_option("file", options->file, "raw trace, span JSON or page, or - for standard input")
      .required();
  command.add_option("-o,--output", options->output, "the JSON; - is standard output")
      .shows_default();
  command.add_option("--title", options->title, "title; default: the recorded command");
  command.runs(options, run);
}

}  // namespace kutrace::cli
