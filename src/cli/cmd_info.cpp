// SPDX-License-Identifier: BSD-3-Clause
// kutrace info: what a trace is of, what it holds and what it lacks.
#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/replay.h"
#include "emit/text/info_text.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Shows host, kernel, source, what the source could not see, losses, repairs, events by kind, names.

Examples:
  kutrace info trace.raw
  kutrace info trace.raw | grep -e '^loss' -e '^unseen'
  kutrace record -o - -- make | kutrace info -

Exit codes: 0 done; 2 usage; 3 input unusable.)";

// Spans are not needed; what the replay learns of the trace is.
class Discard : public SpanSink {
 public:
  void push(const Span&) override {}
};

Result<int> run(const std::string& path) {
  KUTRACE_ASSIGN(const read::TraceInput file, read::TraceInput::open(path));
  NameTable names;
  Discard discard;
  KUTRACE_ASSIGN(const TraceInfo info, replay_shown(file, names, discard));
  StandardOutput out;
  emit::info_text(info, names, [&out](std::string_view text) { out.line(text); });
  KUTRACE_TRY(out.finish());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_info(const Command& program) {
  auto path = std::make_shared<std::string>();
  const Command command =
      program.add_command("info", "Describe a trace: what it holds, and what it lacks");
  command.footer(kFooter);
  command.add_option("file", *path, "raw trace, span JSON or page, or - for standard input")
      .required();
  command.runs(path, run);
}

}  // namespace kutrace::cli
