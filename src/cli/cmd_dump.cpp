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
#include "emit/text/raw_text.h"
#include "emit/text/text_sink.h"
#include "read/trace/trace_input.h"
#include "spans/rebuild.h"
#include "timeline/event_stream.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Stages:
  raw      block headers and entries as they stand in the file
  events   time_ns cpu number name arg [ret= dur=] ["text"], in time order
  spans    start_ns duration_ns cpu pid kind event arg result rpc ipc "name" [other= pc=]
  threads  begin_ns duration_ns pid id executing_ns waiting_ns unknown_ns "name", as they end
  calls    begin_ns duration_ns cpu pid kind event arg result own_ns cpu_ns pieces id parent "name"
           [wait_...= unknown= begin=inferred end=inferred], as they end
Times are nanoseconds after the start of the recording. The forms are stable: tests compare them.

Examples:
  kutrace dump --stage spans trace.raw | awk '$5 == "syscall"' | sort -k2 -n | tail
  kutrace dump --stage calls trace.raw | grep '"fsync"' | sort -k2 -rn | head
  kutrace dump --stage events trace.raw | grep ' 206 '

Exit codes: 0 done; 2 usage; 3 input unusable.)";

struct Options {
  std::string file;
  std::string stage = "events";
};

Result<int> run(const Options& options) {
  StandardOutput out;
  const emit::LineSink line = [&out](std::string_view text) { out.line(text); };
  if (options.stage == "spans" || options.stage == "calls") {
    KUTRACE_ASSIGN(const read::TraceInput file, read::TraceInput::open(options.file));
    NameTable names;
    emit::SpanText spans(names, line);
    emit::CallText calls(names, line);
    SpanSink& text = options.stage == "spans" ? static_cast<SpanSink&>(spans) : calls;
    KUTRACE_ASSIGN([[maybe_unused]] const TraceInfo info, replay_shown(file, names, text));
    KUTRACE_TRY(out.finish());
    if (options.stage == "calls" && calls.lines() == 0 && !file.is_raw()) {
      return fail(input_error("does not tell of calls")
                      .with_file(file.name())
                      .with_hint("its raw trace does, and so does a page of that"));
    }
    return static_cast<int>(ExitCode::kDone);
  }
  KUTRACE_ASSIGN(const RawFile file, open_trace(options.file));
  if (options.stage == "raw") {
    emit::dump_raw(file, line);
  } else if (options.stage == "threads") {
    NameTable names;
    emit::LifeText text(names, line);
    KUTRACE_TRY(spans::rebuild(file, names, text));
  } else {
    KUTRACE_ASSIGN(const timeline::TraceLayout layout, timeline::lay_out(file));
    timeline::EventStream stream(layout);
    emit::EventText text(layout.preamble);
    stream.run([&](const timeline::Event& event) { out.line(text.line(event)); });
  }
  KUTRACE_TRY(out.finish());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_dump(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("dump", "Print a stage of the pipeline as text");
  command->footer(kFooter);
  command
      ->add_option(
          "file", options->file,
          "Raw trace (spans, calls: or page; spans: or span JSON), or - for standard input")
      ->required();
  command->add_option("--stage", options->stage, "raw, events, spans, threads or calls")
      ->check(CLI::IsMember({"raw", "events", "spans", "threads", "calls"}))
      ->capture_default_str();
  run_when_chosen(*command, invocation, options, run);
}

}  // namespace kutrace::cli
