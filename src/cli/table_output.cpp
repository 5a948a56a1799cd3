// SPDX-License-Identifier: BSD-3-Clause
// Choosing the form; writing lines.
#include "cli/table_output.h"

#include "cli/output_file.h"
#include "cli/output_form.h"

namespace kutrace::cli {

TableForm TableOptions::form() const {
  if (format == "json") return TableForm::kJson;
  if (format == "csv") return TableForm::kCsv;
  if (!format.empty()) return TableForm::kTable;
  const OutputForm named = form_of_output(output);
  return named == OutputForm::kSpanJson ? TableForm::kJson
         : named == OutputForm::kCsv    ? TableForm::kCsv
                                        : TableForm::kTable;
}

void add_table_options(CLI::App& command, TableOptions& options) {
  command.add_option("--format", options.format, "table, csv or json; else by the output's name")
      ->check(CLI::IsMember({"table", "csv", "json"}));
  command.add_option("-o,--output", options.output, "Where the result goes; - is standard output")
      ->capture_default_str();
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
