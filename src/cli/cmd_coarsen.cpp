// SPDX-License-Identifier: BSD-3-Clause
// kutrace coarsen: an overview of a trace that is too large or too busy.
#include <memory>

#include "cli/command.h"
#include "cli/replay.h"
#include "cli/span_output.h"
#include "cli/time_text.h"
#include "filters/coarsen.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Merges spans shorter than the resolution into fewer, longer ones. On every CPU the time of each kind,
thread and name stays exactly the same; positions shift by at most the resolution. Waits, wakeups and
other overlays shorter than the resolution are omitted and counted; marks are kept.
The output's name decides its format: .html a page, .kux a container, .json span JSON, otherwise text.

Examples:
  kutrace coarsen --resolution 10us trace.raw -o overview.html
  kutrace coarsen -r 1ms trace.raw -o overview.kux
  kutrace coarsen -r 1ms trace.raw | awk '$5 == "idle"'

Exit codes: 0 done; 2 usage; 3 input unusable; 5 output cannot be written.)";

struct Options {
  std::string file;
  std::string resolution;
  SpanOutput::Options output;
};

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(const Ns resolution, parse_time(options.resolution, 1000));
  if (resolution == 0) return fail(usage_error("a resolution of 0 would change nothing"));
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  NameTable names;
  KUTRACE_ASSIGN(const auto output, SpanOutput::create(options.output, names));
  filters::Coarsen coarsen(resolution, output->sink());
  KUTRACE_ASSIGN(const TraceInfo info, replay_shown(input, names, coarsen));
  warn_of_gaps(input, info);
  KUTRACE_TRY(output->finish(info));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_coarsen(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("coarsen", "Merge short spans into an overview");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace: raw, span JSON or page; - is standard input")
      .required();
  command
      .add_option("-r,--resolution", options->resolution,
                  "merge spans shorter than this: 10us, 1ms, ...; default unit us")
      .required();
  add_output_options(command, options->output).shows_default();
  command.runs(options, run);
}

}  // namespace kutrace::cli
