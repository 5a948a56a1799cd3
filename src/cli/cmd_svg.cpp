// SPDX-License-Identifier: BSD-3-Clause
// kutrace svg: a window of a trace as a picture for papers.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "base/apart.h"
#include "cli/asked_window.h"
#include "cli/command.h"
#include "cli/next_command.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/replay.h"
#include "cli/thread_choice.h"
#include "cli/time_text.h"
#include "emit/figure/figure.h"
#include "filters/survey.h"
#include "model/default_title.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Draws what the page draws: a row per CPU and per thread, why threads wait, marks, axis, legend and,
if there are at most 60, wakeups. Everything is vectors, so nothing blurs at any size. Times are
seconds after the start of the recording, or have a unit: 1.5s, 20ms, 300us. The default is the whole
trace.

Examples:
  kutrace svg trace.raw -o whole.svg
  kutrace svg trace.raw --from 39.54 --to 39.55 --threads 6 -o fig.svg --title "a slow request"
  kutrace svg trace.raw --around late±20ms -o late.svg
  kutrace svg trace.raw --name 'server*' --name disk -o threads.svg
  kutrace svg trace.raw --no-cpus --colours grey -o print.svg

Exit codes: 0 done; 2 usage; 3 input unusable, or nothing matches; 5 output cannot be written.)";

struct Options {
  std::string file;
  std::string output = "-";
  std::string from;
  std::string to;
  std::string around;
  ThreadOptions threads;
  std::string theme = "light";
  std::string colours = "full";
  bool no_cpus = false;
  bool no_arcs = false;
  bool all_arcs = false;
  bool samples = false;
  bool no_legend = false;
  emit::FigureOptions figure;
};

using ShowShare = std::function<void(double)>;

// Around the first of such marks.
Result<TimeWindow> window_around(const std::string& text, const read::TraceInput& input,
                                 const ShowShare& show) {
  KUTRACE_ASSIGN(const MarkMargin around, parse_mark_margin(text));
  if (around.margin == 0) return fail(empty_window());
  NameTable names;
  filters::Survey marks({.label = around.mark, .thread_names = {}, .cpus = {}}, names);
  KUTRACE_TRY(input.replay(names, marks, show));
  const std::vector<TimeWindow> windows = marks.around(around.margin);
  if (!windows.empty()) return windows.front();
  return fail(input_error(fmt::format("has no mark '{}'", around.mark))
                  .with_file(input.name())
                  .with_hint(lists_marks(input.name())));
}

Result<TimeWindow> window_of(const Options& options, TimeWindow asked,
                             const read::TraceInput& input, const TraceInfo& info) {
  if (const std::string why = why_apart(asked, {info.begin, info.end}); !why.empty())
    return fail(input_error(why).with_file(input.name()).with_hint(kTimesCount));
  if (!options.around.empty())
    return TimeWindow{std::max(asked.begin, info.begin), std::min(asked.end, info.end)};
  if (options.from.empty()) asked.begin = info.begin;
  if (options.to.empty()) asked.end = info.end;
  return asked;
}

emit::FigureOptions figure_options(const Options& options, const read::TraceInput& input,
                                   const TraceInfo& info) {
  emit::FigureOptions figure = options.figure;
  if (figure.title.empty()) figure.title = input.title();
  if (figure.title.empty()) figure.title = default_title(info);
  figure.cpus = !options.no_cpus;
  figure.arcs = !options.no_arcs;
  figure.all_arcs = options.all_arcs;
  figure.samples = options.samples;
  figure.legend = !options.no_legend;
  figure.theme = options.theme == "dark" ? emit::FigureTheme::kDark : emit::FigureTheme::kLight;
  figure.scheme = options.colours == "grey"   ? emit::FigureScheme::kGrey
                  : options.colours == "safe" ? emit::FigureScheme::kSafe
                                              : emit::FigureScheme::kFull;
  return figure;
}

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  KUTRACE_ASSIGN(TimeWindow asked, asked_window(options.from, options.to));
  KUTRACE_ASSIGN(const ThreadChoice threads, ThreadChoice::parse(options.threads));
  KUTRACE_ASSIGN(OutputFile out, OutputFile::create(options.output));
  NameTable names;
  Progress bar;
  bar.set_passes(options.around.empty() ? 2 : 3);
  const auto show = [&](double share) { bar.show(share); };
  if (!options.around.empty()) {
    KUTRACE_ASSIGN(asked, window_around(options.around, input, show));
    bar.next_pass();
  }
  emit::FigureSurvey survey(asked);
  filters::SurveyQuestions questions;
  threads.ask(questions);
  filters::Survey named(std::move(questions), names);
  BothSinks both(survey, named);
  KUTRACE_ASSIGN(const TraceInfo info, input.replay(names, both, show));
  KUTRACE_ASSIGN(const TimeWindow window, window_of(options, asked, input, info));
  bar.next_pass();
  emit::FigureOptions wanted = figure_options(options, input, info);
  if (options.threads.any()) {
    KUTRACE_ASSIGN(const filters::ChosenThreads chosen, threads.choose(named, input.name()));
    wanted.only = chosen.pids;
  }
  emit::Figure figure(std::move(wanted), window, survey, info, names);
  KUTRACE_TRY(input.replay(names, figure, show));
  warn_of_gaps(input, info);
  out.write(figure.finish());
  KUTRACE_TRY(out.finish());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_svg(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command =
      program.add_command("svg", "Draw a window of the trace as an SVG picture");
  command.footer(kFooter);
  command.add_option("file", options->file, "raw trace, span JSON or page, or - for standard input")
      .required();
  command.add_option("--width", options->figure.width, "width in units of 1/96 inch")
      .between(300, 10'000)
      .shows_default();
  command
      .add_option("--threads", options->figure.threads,
                  "maximum number of thread rows: those that ran longest")
      .at_least(0)
      .shows_default();
  command.add_flag("--no-cpus", options->no_cpus, "omit the rows of CPUs");
  const Option no_arcs = command.add_flag("--no-arcs", options->no_arcs, "omit wakeups");
  command
      .add_flag("--arcs", options->all_arcs,
                "draw wakeups even if there are more than 60: the 240 longest")
      .excludes(no_arcs);
  command.add_flag("--samples", options->samples, "program counter samples above the bars");
  command.add_flag("--no-legend", options->no_legend, "omit the legend");
  command.add_option("--theme", options->theme, "colours of the background")
      .one_of({"light", "dark"})
      .shows_default();
  command
      .add_option("--colours", options->colours, "safe: for colour-blind readers; grey: for print")
      .one_of({"full", "safe", "grey"})
      .shows_default();
  command.add_option("--from", options->from, "begin of the picture");
  command.add_option("--to", options->to, "end of the picture");
  command
      .add_option("--around", options->around,
                  "MARK±TIME: around the first such mark; default unit ms")
      .excludes("--from")
      .excludes("--to");
  command.add_option("--pid", options->threads.pids,
                     "only rows of these threads and processes: 12,13");
  command
      .add_option("--name", options->threads.names, "only rows of threads with this name; * and ?")
      .one_each_time();
  command.add_option("-o,--output", options->output, "the picture; - is standard output")
      .shows_default();
  command.add_option("--title", options->figure.title, "title; default: the recorded command");
  command.runs(options, run);
}

}  // namespace kutrace::cli
