// SPDX-License-Identifier: BSD-3-Clause
// kutrace dump: the stable text form of a stage.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/replay.h"
#include "emit/text/call_text.h"
#include "emit/text/life_text.h"
#include "emit/text/process_text.h"
#include "emit/text/raw_text.h"
#include "emit/text/reading_lines.h"
#include "emit/text/text_sink.h"
#include "read/trace/trace_input.h"
#include "timeline/event_stream.h"
#include "timeline/trace_layout.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Stages:
  raw        block headers and entries as stored in the file
  events     time_ns cpu number name arg [ret= dur=] ["text"], in time order
  spans      start_ns duration_ns cpu pid kind event arg result rpc ipc "name" [other= pc=]
  calls      begin_ns duration_ns cpu pid kind event arg result own_ns cpu_ns pieces id parent
             "name" [wait_...= unknown= begin=inferred end=inferred], as they end
  threads    begin_ns duration_ns pid id executing_ns waiting_ns unknown_ns "name", as they end
  processes  begin_ns duration_ns number id parent threads "name", as they begin
  counters   time_ns process level|total unit value "name", as they were read; - is none
Times are nanoseconds after the start of the recording. The formats are stable: tests compare them.

Examples:
  kutrace dump --stage spans trace.raw | awk '$5 == "syscall"' | sort -k2 -n | tail
  kutrace dump --stage calls trace.raw | grep '"fsync"' | sort -k2 -rn | head
  kutrace dump --stage events trace.raw | grep ' 206 '
  kutrace dump --stage counters trace.raw | grep '"mem_free"'

Exit codes: 0 done; 2 usage; 3 input unusable.)";

struct Options {
  std::string file;
  std::string stage = "events";
};

// What prints spans and what follows them; null for other stages.
std::unique_ptr<SpanSink> printer(const std::string& stage, const NameTable& names,
                                  emit::LineSink line) {
  if (stage == "spans") return std::make_unique<emit::SpanText>(names, std::move(line));
  if (stage == "calls") return std::make_unique<emit::CallText>(names, std::move(line));
  if (stage == "threads") return std::make_unique<emit::LifeText>(names, std::move(line));
  if (stage == "processes") return std::make_unique<emit::ProcessText>(names, std::move(line));
  if (stage == "counters") return std::make_unique<emit::ReadingLines>(std::move(line));
  return nullptr;
}

Status print_events(const std::string& path, bool raw, const emit::LineSink& line) {
  KUTRACE_ASSIGN(const RawFile file, open_trace(path));
  if (raw) {
    emit::dump_raw(file, line);
    return {};
  }
  KUTRACE_ASSIGN(const timeline::TraceLayout layout, timeline::lay_out(file));
  timeline::EventStream stream(layout);
  emit::EventText text(layout.preamble);
  stream.run([&](const timeline::Event& event) { line(text.line(event)); });
  return {};
}

Result<int> run(const Options& options) {
  StandardOutput out;
  std::uint64_t lines = 0;
  const emit::LineSink line = [&out, &lines](std::string_view text) {
    ++lines;
    out.line(text);
  };
  NameTable names;
  const std::unique_ptr<SpanSink> text = printer(options.stage, names, line);
  if (text == nullptr) {
    KUTRACE_TRY(print_events(options.file, options.stage == "raw", line));
    KUTRACE_TRY(out.finish());
    return static_cast<int>(ExitCode::kDone);
  }
  KUTRACE_ASSIGN(const read::TraceInput file, read::TraceInput::open(options.file));
  KUTRACE_TRY(replay_shown(file, names, *text));
  KUTRACE_TRY(out.finish());
  if (options.stage != "spans" && lines == 0 && !file.is_raw()) {
    return fail(input_error("does not tell of " + options.stage)
                    .with_file(file.name())
                    .with_hint("its raw trace does, and so does a page of that"));
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_dump(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("dump", "Print a stage of the pipeline as text");
  command.footer(kFooter);
  command
      .add_option("file", options->file,
                  "raw trace; from spans on also a page; - is standard input")
      .required();
  command.add_option("--stage", options->stage, "what to print")
      .one_of({"raw", "events", "spans", "calls", "threads", "processes", "counters"})
      .shows_default();
  command.runs(options, run);
}

}  // namespace kutrace::cli
