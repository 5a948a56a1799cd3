// SPDX-License-Identifier: BSD-3-Clause
// Choosing the form; writing lines.
#include "cli/table_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/output_file.h"
#include "cli/output_form.h"

namespace kutrace::cli {

std::optional<TableForm> table_form(std::string_view word) {
  if (word == "table") return TableForm::kTable;
  if (word == "csv") return TableForm::kCsv;
  if (word == "json") return TableForm::kJson;
  return std::nullopt;
}

TableForm TableOptions::form() const {
  if (const std::optional<TableForm> said = table_form(format)) return *said;
  const OutputForm named = form_of_output(output);
  return named == OutputForm::kSpanJson ? TableForm::kJson
         : named == OutputForm::kCsv    ? TableForm::kCsv
                                        : TableForm::kTable;
}

bool TableOptions::is_page() const {
  return format.empty() && form_of_output(output) == OutputForm::kPage;
}

namespace {

// A table in a file with the name of a page could be opened by nothing.
std::string wrong_name(const std::string& output, Pages pages) {
  const OutputForm form = form_of_output(output);
  if (form == OutputForm::kContainer)
    return output + " names a container, which kutrace report writes";
  if (form == OutputForm::kPage && pages == Pages::kNone)
    return output + " names a page, which kutrace report, profile, why and diff write";
  return {};
}

}  // namespace

void add_table_options(const Command& command, TableOptions& options, Pages pages) {
  command.add_option("--format", options.format, "default: by the output's name")
      .one_of({"table", "csv", "json"});
  command.add_option("-o,--output", options.output, "where the result goes; - is standard output")
      .check([pages](const std::string& output) { return wrong_name(output, pages); })
      .shows_default();
}

void add_width_options(const Command& command, WidthOptions& options) {
  command.add_flag("--wide", options.wide, "show all columns, even if the terminal is narrower");
}

std::size_t table_width(const TableOptions& table, const WidthOptions& options) {
  if (options.wide || table.output != "-" || isatty(STDOUT_FILENO) == 0) return 0;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

Status write_lines(const std::string& output, const std::function<Status(const TakeLine&)>& write) {
  KUTRACE_ASSIGN(OutputFile out, OutputFile::create(output));
  KUTRACE_TRY(write([&out](std::string_view text) {
    out.write(text);
    out.write("\n");
  }));
  return out.finish();
}

}  // namespace kutrace::cli
