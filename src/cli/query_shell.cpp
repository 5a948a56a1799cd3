// SPDX-License-Identifier: BSD-3-Clause
// Lines to statements.
#include "cli/query_shell.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <iostream>
#include <optional>
#include <set>
#include <utility>

#include "cli/line_editor.h"
#include "cli/log.h"

namespace kutrace::cli {

namespace {

constexpr const char* kPrompt = "kutrace> ";
constexpr const char* kMorePrompt = "    ...> ";

struct DotCommand {
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array<DotCommand, 7> kDotCommands = {{
    {".tables", "lists tables and totals"},
    {".schema [NAME]", "says which columns they have, and what each means"},
    {".functions", "lists functions that SQL has here beside SQLite's own"},
    {".format table|csv|json", "chooses how rows are written"},
    {".timer on|off", "says how long each statement took"},
    {".help", "lists these commands"},
    {".quit", "leaves; so does the end of input"},
}};

constexpr std::array<std::string_view, 24> kSqlWords = {
    "SELECT", "FROM", "WHERE",    "GROUP", "ORDER", "BY",   "LIMIT", "HAVING",
    "AND",    "OR",   "NOT",      "IN",    "LIKE",  "GLOB", "AS",    "JOIN",
    "ON",     "WITH", "DISTINCT", "DESC",  "count", "sum",  "avg",   "BETWEEN"};

std::atomic<const query::Database*> asked_now{nullptr};
std::atomic<bool> was_interrupted{false};

void on_interrupt(int /*number*/) {
  was_interrupted = true;
  if (const query::Database* const database = asked_now) database->interrupt();
}

// While it lives, Ctrl-C ends a statement, and not the program.
class InterruptsStatements {
 public:
  explicit InterruptsStatements(const query::Database& database) {
    asked_now = &database;
    struct sigaction action{};
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptsStatements() {
    sigaction(SIGINT, &before_, nullptr);
    asked_now = nullptr;
  }
  InterruptsStatements(const InterruptsStatements&) = delete;
  InterruptsStatements& operator=(const InterruptsStatements&) = delete;

 private:
  struct sigaction before_{};
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r;") + 1 - begin);
}

bool is_blank(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isspace(c) != 0; });
}

}  // namespace

bool is_shell_command(const std::string& line) { return trimmed(line).starts_with('.'); }

QueryShell::QueryShell(query::Database& database, TableForm form, TextOut out)
    : database_(database), form_(form), out_(std::move(out)) {}

Status QueryShell::run(const std::string& sql) {
  const auto rows = rows_as(form_, out_);
  const auto begin = std::chrono::steady_clock::now();
  KUTRACE_TRY(database_.run(sql, *rows));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (timed_) log_info("{:.6f} s", took.count());
  return {};
}

namespace {

// Not a function that gives one value.
bool is_table(const query::Described& one) {
  return one.kind != "aggregate" && one.kind != "scalar";
}

}  // namespace

void QueryShell::list_tables() {
  for (const query::Described& one : database_.names()) {
    if (is_table(one)) out_(fmt::format("{:<12} {}\n", one.name, one.meaning));
  }
}

void QueryShell::list_functions() {
  for (const query::Described& one : database_.names()) {
    if (!is_table(one)) out_(fmt::format("{:<32} {}\n", one.name, one.meaning));
    if (one.kind == "function") out_(fmt::format("{:<32} {}\n", one.name, "a table; .schema"));
  }
}

Status QueryShell::describe_tables(const std::string& only) {
  bool found = false;
  for (const query::Described& one : database_.names()) {
    if (!is_table(one) || (!only.empty() && one.name != only)) continue;
    if (found) out_("\n");
    found = true;
    out_(fmt::format("{}: {}\n", one.name, one.meaning));
    for (const query::Described::Field& column : one.columns) {
      out_(fmt::format("  {:<14} {:<8} {}\n", column.name, column.type, column.meaning));
    }
  }
  if (found) return {};
  return fail(usage_error("there is no table " + only).with_hint(".tables lists them"));
}

void QueryShell::help() {
  out_("SQL of SQLite, over several lines until \";\". Commands:\n");
  for (const DotCommand& command : kDotCommands) {
    out_(fmt::format("  {:<24} {}\n", command.name, command.meaning));
  }
}

Status QueryShell::choose_form(const std::string& form) {
  const std::optional<TableForm> chosen = table_form(form);
  if (!chosen) return fail(usage_error(".format is table, csv or json"));
  form_ = *chosen;
  return {};
}

Result<QueryShell::Next> QueryShell::obey(const std::string& line) {
  const std::size_t end = line.find(' ');
  const std::string command = line.substr(0, end);
  const std::string rest = end == line.npos ? std::string() : trimmed(line.substr(end));
  if (command == ".quit" || command == ".exit") return Next::kQuit;
  if (command == ".help") {
    help();
  } else if (command == ".tables") {
    list_tables();
  } else if (command == ".functions") {
    list_functions();
  } else if (command == ".schema") {
    KUTRACE_TRY(describe_tables(rest));
  } else if (command == ".timer") {
    timed_ = rest == "on";
  } else if (command == ".format") {
    KUTRACE_TRY(choose_form(rest));
  } else {
    return fail(usage_error("there is no command " + command).with_hint(".help lists them"));
  }
  return Next::kGoOn;
}

Result<QueryShell::Next> QueryShell::take(const std::string& line) {
  if (is_blank(statement_) && is_shell_command(line)) return obey(trimmed(line));
  statement_ += line + '\n';
  if (!query::Database::is_complete(statement_)) return Next::kGoOn;
  const std::string sql = std::exchange(statement_, {});
  KUTRACE_TRY(run(sql));
  return Next::kGoOn;
}

std::vector<std::string> QueryShell::words() const {
  std::set<std::string> all(kSqlWords.begin(), kSqlWords.end());
  for (const DotCommand& command : kDotCommands) {
    all.emplace(command.name.substr(0, command.name.find(' ')));
  }
  for (const query::Described& one : database_.names()) {
    all.insert(one.name.substr(0, one.name.find('(') + (is_table(one) ? 0 : 1)));
    for (const query::Described::Field& column : one.columns) all.insert(column.name);
  }
  return {all.begin(), all.end()};
}

Status QueryShell::talk() {
  const InterruptsStatements interrupts(database_);
  LineEditor editor(words());
  out_(".help lists commands, .tables what can be asked; Ctrl-D leaves\n");
  while (true) {
    was_interrupted = false;
    const auto line = editor.read(is_blank(statement_) ? kPrompt : kMorePrompt);
    if (!line && was_interrupted) {
      statement_.clear();
      out_("\n");
      continue;
    }
    if (!line) break;
    const Result<Next> next = take(*line);
    if (!next) log_error("{}", describe(next.error()));
    if (next && *next == Next::kQuit) return {};
  }
  out_("\n");
  return {};
}

Status QueryShell::obey(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    KUTRACE_ASSIGN(const Next next, take(line));
    if (next == Next::kQuit) return {};
    if (!is_blank(statement_)) KUTRACE_TRY(run(std::exchange(statement_, {})));
  }
  return {};
}

Status QueryShell::read() {
  std::string line;
  while (std::getline(std::cin, line)) {
    KUTRACE_ASSIGN(const Next next, take(line));
    if (next == Next::kQuit) return {};
  }
  return is_blank(statement_) ? Status() : run(statement_);
}

}  // namespace kutrace::cli
