// SPDX-License-Identifier: BSD-3-Clause
// kutrace hexdump: the words of a raw trace.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/counted.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "emit/text/hex_text.h"

namespace kutrace::cli {

namespace {

constexpr const char* kFooter = R"(
Prints four words per line, after their offset in the file. Entries are shown as TIME.EVENTARGUMENT,
further words of an entry as _ and 16 digits, header and trailer words as 16 digits; then the same
bytes as text. `kutrace dump --stage raw` shows the same data field by field.

Examples:
  kutrace hexdump trace.raw | less
  kutrace hexdump --block 3 trace.raw
  kutrace hexdump --zeros trace.raw | less

Exit codes: 0 done; 2 usage; 3 input unusable.)";

struct Options {
  std::string file;
  std::optional<std::uint32_t> block;
  bool zeros = false;
};

Result<int> run(const Options& options) {
  KUTRACE_ASSIGN(const RawFile file, open_trace(options.file));
  const auto& blocks = file.blocks();
  if (options.block && (blocks.empty() || *options.block > blocks.back().number)) {
    return fail(usage_error(fmt::format("there is no block {}", *options.block))
                    .with_file(file.name())
                    .with_hint("it has " + counted(blocks.size(), "block", "blocks")));
  }
  StandardOutput out;
  emit::dump_hex(file, {options.block, options.zeros},
                 [&out](std::string_view text) { out.line(text); });
  KUTRACE_TRY(out.finish());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

void add_hexdump(const Command& program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("hexdump", "Print the words of a raw trace");
  command.footer(kFooter);
  command.add_option("file", options->file, "raw trace, or - for standard input").required();
  command.add_option("--block", options->block, "only this block; the first is 0");
  command.add_flag("--zeros", options->zeros, "also print lines of zeros");
  command.runs(options, run);
}

}  // namespace kutrace::cli
