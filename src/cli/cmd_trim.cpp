// SPDX-License-Identifier: BSD-3-Clause
// kutrace trim: the part of a trace that is asked for.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/output_form.h"
#include "cli/raw_output.h"
#include "cli/replay.h"
#include "cli/selection.h"
#include "cli/span_output.h"
#include "filters/select.h"
#include "filters/trim_time.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Times are seconds after the start of the recording, or have a unit: 1.5s, 20ms, 300us. Spans that
extend beyond the window are cut at its edge, or kept whole with --whole. Execution that --pid, --name
and --group exclude is shown as "hidden", so every nanosecond still adds up.
The output's name decides its format: .html a page, .kux a container, .json span JSON, .raw a raw
trace (one window, all threads), otherwise text.

Examples:
  kutrace trim --from 1.2 --to 1.25 trace.raw -o slow.html
  kutrace trim --label reqst trace.raw -o requests.html    from mark "reqst" to mark "/reqst"
  kutrace trim --around late±5ms trace.raw -o late.html
  kutrace trim --pid 1234 --children trace.raw -o server.html
  kutrace trim --last 2s trace.raw -o end.raw
  kutrace trim --cpu 0-3 --group syscalls,faults trace.raw

Exit codes: 0 done; 2 usage; 3 input unusable, or nothing matches; 5 output cannot be written.)";

struct Options {
  std::string file;
  SelectionOptions part;
  std::string groups;
  bool whole = false;
  SpanOutput::Options output;
};

class Trim {
 public:
  Trim(const Options& options, const read::TraceInput& input)
      : options_(options), input_(input), part_(options.part, input, names_) {}

  Status run() {
    KUTRACE_TRY(check());
    KUTRACE_TRY(part_.choose(options_.whole ? 2 : 1));
    selection_ = part_.part();
    if (!options_.groups.empty()) {
      KUTRACE_ASSIGN(selection_.groups, filters::SpanGroups::parse(options_.groups));
    }
    return writes_raw() ? write_raw_trace() : write();
  }

 private:
  bool writes_raw() const { return form_of_output(options_.output.path) == OutputForm::kRaw; }

  Status check() const {
    if (writes_raw() && !input_.is_raw()) return fail(spans_are_not_raw());
    if (writes_raw() && (options_.whole || options_.part.threads.any() || !options_.groups.empty()))
      return fail(usage_error("a raw trace is cut by time and CPU alone")
                      .with_hint("name the output .json or .html"));
    if (writes_raw() && !options_.output.title.empty())
      return fail(usage_error("a raw trace has no title"));
    if (!options_.part.any() && options_.groups.empty()) {
      return fail(usage_error("nothing says what to keep")
                      .with_hint("kutrace trim --help lists the ways to say it"));
    }
    if (options_.whole && !options_.part.any_time()) {
      return fail(usage_error("--whole needs a window of time"));
    }
    return {};
  }

  Status write() {
    std::optional<TimeWindow> reach;
    if (options_.whole) {
      filters::WholeReach whole(part_.windows());
      KUTRACE_TRY(part_.replay_whole(whole));
      if (!whole.reach()) {
        return fail(input_error("the window does not overlap the recording")
                        .with_file(input_.name())
                        .with_hint("kutrace info shows its length"));
      }
      reach = whole.reach();
    }
    KUTRACE_ASSIGN(const auto output, SpanOutput::create(options_.output, names_));
    std::optional<filters::Select> select;
    SpanSink* sink = &output->sink();
    if (!selection_.everything()) sink = &select.emplace(selection_, names_, *sink);
    std::optional<filters::TrimTime> trim;
    if (!part_.windows().empty()) sink = &trim.emplace(part_.windows(), reach, names_, *sink);
    KUTRACE_ASSIGN(const TraceInfo info, part_.replay_whole(*sink));
    KUTRACE_TRY(part_.check_overlap(info));
    warn_of_gaps(input_, info);
    return output->finish(info);
  }

  Status write_raw_trace() const {
    const std::vector<TimeWindow>& windows = part_.windows();
    if (windows.size() > 1)
      return fail(usage_error(fmt::format("a raw trace has one window, not {}", windows.size()))
                      .with_hint("--from and --to choose one of them"));
    const TimeWindow window =
        windows.empty() ? TimeWindow{0, std::numeric_limits<Ns>::max()} : windows.front();
    const RawFile& raw = *input_.raw();
    const auto make = [&](const raw::RawOutput& output) {
      return raw::cut_raw(raw, window, selection_.cpus, output);
    };
    if (const auto written = write_raw_file(options_.output.path, raw.blocks().size(), make);
        !written)
      return fail(written.error());
    return {};
  }

  const Options& options_;
  const read::TraceInput& input_;
  NameTable names_;
  TraceSelection part_;
  filters::Selection selection_;
};

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(const read::TraceInput input, read::TraceInput::open(options.file));
  KUTRACE_TRY(Trim(options, input).run());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_trim(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("trim", "Keep only the part that matters");
  command.footer(kFooter);
  command.add_option("file", options->file, "trace: raw, span JSON or page; - is standard input")
      .required();
  command.add_flag("--whole", options->whole, "keep spans that extend beyond the window whole");
  command.add_option("--group", options->groups,
                     "only these groups, as in record --events; also user, idle");
  add_selection_options(command, options->part);
  add_output_options(command, options->output).shows_default();
  command.runs(options, run);
}

}  // namespace kutrace::cli
