// SPDX-License-Identifier: BSD-3-Clause
// kutrace report: a trace to one HTML page that opens offline.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/trace_input.h"
#include "emit/page_writer.h"

namespace kutrace {

namespace {

constexpr const char* kFooter = R"(
The page holds the viewer and the whole trace, compressed: open it in a browser, mail it, keep it.
It loads nothing from any network. Press ? in it for help.

Examples:
  kutrace report trace.raw                            writes trace.html
  kutrace report trace.raw -o slow.html --title "slow request"

Exit codes: 0 done; 2 usage; 3 input unusable; 5 output cannot be written.)";

struct Options {
  std::string file;
  std::string output;
  std::string title;
};

// trace.raw, trace.trace and trace become trace.html.
std::string default_output(const std::string& input) {
  if (input == "-") return "trace.html";
  const std::size_t slash = input.rfind('/');
  const std::size_t dot = input.rfind('.');
  const bool suffix = dot != input.npos && dot > 0 && (slash == input.npos || dot > slash + 1);
  return (suffix ? input.substr(0, dot) : input) + ".html";
}

// A bar on standard error, for people, once it has taken a second.
class ProgressBar {
 public:
  void show(double share) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - begin_ < std::chrono::seconds(1)) return;
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    shown_ = true;
    constexpr int kWidth = 40;
    const int full = static_cast<int>(share * kWidth);
    fmt::print(stderr, "\r[{:<{}}] {:3.0f} %", std::string(static_cast<std::size_t>(full), '#'),
               kWidth, share * 100);
    std::fflush(stderr);
  }
  ~ProgressBar() {
    if (shown_) fmt::print(stderr, "\r{:60}\r", "");
  }
  ProgressBar() = default;
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_{};
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

Result<int> run(const Options& options) {
  const std::string output = options.output.empty() ? default_output(options.file) : options.output;
  if (output == options.file && output != "-") {
    return fail(
        usage_error("the page would replace the trace").with_hint("choose another -o FILE"));
  }
  KUTRACE_ASSIGN(const TraceInput file, TraceInput::open(options.file));
  NameTable names;
  PageWriter page({.title = options.title.empty() ? file.title() : options.title});
  KUTRACE_ASSIGN(const TraceInfo info, [&] {
    ProgressBar bar;
    return file.replay(names, page, [&](double share) { bar.show(share); });
  }());
  KUTRACE_ASSIGN(OutputFile out, OutputFile::create(output));
  const Result<PageSummary> written =
      page.finish(info, names, [&](std::string_view piece) { return out.write(piece); });
  // A full disk is told by the file, which knows the reason.
  if (!written && written.error().kind != ErrorKind::kOutput) return fail(written.error());
  KUTRACE_TRY(out.finish());
  if (!written) return fail(written.error());
  fmt::print(stderr, "{}: {:.1f} MB, {} spans, {:.2f} bytes each\n", output,
             static_cast<double>(written->bytes) / 1e6, grouped(written->spans),
             static_cast<double>(written->bytes) /
                 static_cast<double>(std::max<std::uint64_t>(written->spans, 1)));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_report(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "Write one HTML page that shows the trace");
  command->footer(kFooter);
  command
      ->add_option("file", options->file, "Raw trace, span JSON or page, or - for standard input")
      ->required();
  command->add_option("-o,--output", options->output, "The page, or - for standard output");
  command->add_option("--title", options->title, "Title; the recorded command unless given");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

}  // namespace kutrace
