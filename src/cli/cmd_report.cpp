// SPDX-License-Identifier: BSD-3-Clause
// kutrace report: a trace to one HTML page that opens offline.
#include <memory>

#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/page_report.h"
#include "emit/page/page_template.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
The page holds the viewer and the whole trace, compressed: open it in a browser, mail it, archive it.
It loads nothing from the network. Press ? in it for help.
A trace with more spans than a browser can open is coarsened, and this is reported. -o FILE.kux keeps
every span in a container of any size: drop it on any page, or on the page of --viewer.

Examples:
  kutrace report trace.raw                            writes trace.html
  kutrace report trace.raw -o slow.html --title "slow request"
  kutrace report huge.raw -o huge.html --max-spans 1000000
  kutrace report huge.raw -o huge.kux && kutrace report --viewer -o viewer.html

Exit codes: 0 done; 2 usage; 3 input unusable; 5 output cannot be written.)";

struct Options {
  std::string file;
  bool viewer = false;
  PageRequest page;
};

// trace.raw, trace.trace and trace become trace.html.
std::string default_output(const std::string& input) {
  if (input == "-") return "trace.html";
  const std::size_t slash = input.rfind('/');
  const std::size_t dot = input.rfind('.');
  const bool suffix = dot != input.npos && dot > 0 && (slash == input.npos || dot > slash + 1);
  return (suffix ? input.substr(0, dot) : input) + ".html";
}

Result<int> write_viewer(const Options& options) {
  KUTRACE_ASSIGN(OutputFile out,
                 OutputFile::create(options.page.output.empty() ? "-" : options.page.output));
  out.write(emit::page_template());
  KUTRACE_TRY(out.finish());
  return static_cast<int>(ExitCode::kDone);
}

Result<int> run(const Options& asked) {
  if (asked.viewer) return write_viewer(asked);
  if (asked.file.empty()) return fail(usage_error("which trace?").with_hint("kutrace report FILE"));
  Options options = asked;
  if (options.page.output.empty()) options.page.output = default_output(options.file);
  KUTRACE_ASSIGN(const read::TraceInput file, read::TraceInput::open(options.file));
  KUTRACE_TRY(write_page_of(file, options.page));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_report(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("report", "Write one HTML page that shows the trace");
  command.footer(kFooter);
  command.add_option("file", options->file,
                     "raw trace, span JSON or page, or - for standard input");
  command
      .add_option("--max-spans", options->page.max_spans, "coarsen a page of more spans than this")
      .at_least(1)
      .shows_default();
  command
      .add_option("--coarsen", options->page.coarsen,
                  "auto, never, or a resolution such as 10us: merge shorter spans")
      .shows_default();
  command.add_flag("--viewer", options->viewer, "write only the viewer, which opens containers");
  command.add_option("-o,--output", options->page.output,
                     "the page, or FILE.kux: a container; - is standard output");
  command.add_option("--title", options->page.title,
                     "title; default: the recorded title or command");
  command.add_flag("--hide-command", options->page.hide_command,
                   "keep the command line, which may hold secrets, out of the page");
  command.runs(options, run);
}

}  // namespace kutrace::cli
