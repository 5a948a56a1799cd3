// SPDX-License-Identifier: BSD-3-Clause
// kutrace raw: raw traces to a raw trace.
#include <fmt/format.h>

#include <memory>

#include "base/counted.h"
#include "base/text.h"
#include "cli/asked_window.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/log.h"
#include "cli/number_list.h"
#include "cli/raw_output.h"
#include "cli/time_text.h"
#include "raw/raw_cut.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Examples:
  kutrace raw cut --from 1.2 --to 1.25 trace.raw -o slow.raw
  kutrace raw cut --cpu 0-3 trace.raw -o four.raw
  kutrace raw concat monday.raw tuesday.raw -o both.raw

More: kutrace raw cut --help, kutrace raw concat --help)";

constexpr const char* kCutFooter = R"(
Times are seconds after the start of the recording, or have a unit: 1.5s, 20ms, 300us. The result is a
complete raw trace that starts at --from, with names, losses and the state at that time. Times do not
change.

Examples:
  kutrace raw cut --from 1.2 --to 1.25 trace.raw -o slow.raw
  kutrace raw cut --cpu 0-3 trace.raw -o four.raw
  kutrace raw cut --to 500ms trace.raw -o begin.raw

Exit codes: 0 done; 2 usage; 3 input unusable, or nothing matches; 5 output cannot be written.)";

constexpr const char* kConcatFooter = R"(
The traces must be of one machine and one boot and must not overlap; their order does not matter.
The time between them becomes a loss.

Example:
  kutrace raw concat monday.raw tuesday.raw -o both.raw

Exit codes: 0 done; 2 usage; 3 input unusable, or they do not match; 5 output cannot be written.)";

struct CutOptions {
  std::string file;
  std::string from;
  std::string to;
  std::string cpus;
  std::string output;
};

struct ConcatOptions {
  std::vector<std::string> files;
  std::string output;
};

Result<int> told(const std::string& path, const Result<raw::RawSummary>& written) {
  if (!written) return fail(written.error());
  log_info("{}: {}, {}", printable(path), counted(written->blocks, "block", "blocks"),
           byte_size(written->bytes));
  return static_cast<int>(ExitCode::kDone);
}

Result<int> run_cut(const CutOptions& options) {
  KUTRACE_ASSIGN(const TimeWindow window, asked_window(options.from, options.to));
  std::optional<std::unordered_set<CpuId>> cpus;
  if (!options.cpus.empty()) {
    KUTRACE_ASSIGN(cpus, parse_number_list<CpuId>(options.cpus));
  }
  KUTRACE_ASSIGN(const RawFile file, open_trace(options.file));
  return told(options.output, write_raw_file(options.output, file.blocks().size(),
                                             [&](const raw::RawOutput& output) {
                                               return raw::cut_raw(file, window, cpus, output);
                                             }));
}

Result<int> run_concat(const ConcatOptions& options) {
  std::vector<RawFile> files;
  std::size_t blocks = 0;
  for (const std::string& path : options.files) {
    KUTRACE_ASSIGN(RawFile file, open_trace(path));
    blocks += file.blocks().size();
    files.push_back(std::move(file));
  }
  return told(options.output,
              write_raw_file(options.output, blocks, [&](const raw::RawOutput& output) {
                return raw::concat_raw(files, output);
              }));
}

void add_cut(const Command& raw) {
  auto options = std::make_shared<CutOptions>();
  const Command command = raw.add_command("cut", "Cut a window out of a raw trace");
  command.footer(kCutFooter);
  command.add_option("file", options->file, "raw trace, or - for standard input").required();
  command.add_option("--from", options->from, "begin of the window");
  command.add_option("--to", options->to, "end of the window");
  command.add_option("--cpu", options->cpus, "only these CPUs: 0-3,8");
  command.add_option("-o,--output", options->output, "the new trace; - is standard output")
      .required();
  command.runs(options, run_cut);
}

void add_concat(const Command& raw) {
  auto options = std::make_shared<ConcatOptions>();
  const Command command = raw.add_command("concat", "Join several raw traces");
  command.footer(kConcatFooter);
  command.add_option("files", options->files, "raw traces").required().times(2, 1000);
  command.add_option("-o,--output", options->output, "the new trace; - is standard output")
      .required();
  command.runs(options, run_concat);
}

}  // namespace

void add_raw(const Command& program) {
  const Command command = program.add_command("raw", "Cut and join raw traces");
  command.footer(kFooter);
  command.needs_command();
  add_cut(command);
  add_concat(command);
}

}  // namespace kutrace::cli
