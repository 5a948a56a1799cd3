// SPDX-License-Identifier: BSD-3-Clause
// The shell of `kutrace query`: statements over several lines until ";", and commands that begin
// with a dot. In: lines of a terminal or of another input; out: rows, and what there is to ask.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "cli/query_rows.h"
#include "query/database.h"

namespace kutrace::cli {

// Whether it is one of the shell's own, such as .schema, and not SQL.
bool is_shell_command(const std::string& line);

class QueryShell {
 public:
  QueryShell(query::Database& database, TableForm form, TextOut out);

  // At a terminal errors are told and the next statement is awaited; Ctrl-C ends the statement.
  Status talk();
  // From standard input, which is no terminal: the first error is the end.
  Status read();
  // The same of these lines.
  Status obey(const std::vector<std::string>& lines);

 private:
  enum class Next : bool { kGoOn, kQuit };

  Result<Next> take(const std::string& line);
  Result<Next> obey(const std::string& line);
  Status choose_form(const std::string& form);
  Status describe_tables(const std::string& only);
  void list_tables();
  void list_functions();
  void help();
  Status run(const std::string& sql);
  std::vector<std::string> words() const;

  query::Database& database_;
  TableForm form_;
  TextOut out_;
  bool timed_ = false;
  std::string statement_;  // what was typed of it so far
};

}  // namespace kutrace::cli
