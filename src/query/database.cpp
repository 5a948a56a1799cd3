// SPDX-License-Identifier: BSD-3-Clause
// A connection of SQLite to nothing but the tables.
#include "query/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <deque>
#include <new>
#include <utility>

#include "base/text.h"
#include "query/aggregates.h"
#include "query/as_totals.h"
#include "query/format_function.h"
#include "query/module_parts.h"
#include "query/modules.h"
#include "query/overlap_function.h"
#include "query/shown_totals.h"

namespace kutrace::query {

namespace {

constexpr int kStepsBetweenLooks = 100;  // of SQLite's machine, at the clock
constexpr int kLongestText = 1 << 18;    // some functions take its square in time
constexpr int kLongestStatement = 1 << 20;
constexpr int kLongestPattern = 1000;
constexpr int kDeepest = 200;

using Clock = std::chrono::steady_clock;

struct CloseConnection {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

// A statement, and what its columns are called.
struct Prepared {
  Statement statement;
  std::vector<std::string> names;
};

std::vector<std::string> names_of(sqlite3_stmt* statement) {
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* const name = sqlite3_column_name(statement, i);
    if (name == nullptr) throw std::bad_alloc();
    names.emplace_back(name);
  }
  return names;
}

// The pragma that tells the columns of a table, also asked as a table itself.
constexpr std::string_view kColumns = "table_info";

// What a statement may do: read, call functions that only compute, and ask for the columns of a
// table.
int authorize(void* /*nothing*/, int action, const char* what, const char* name,
              const char* /*database*/, const char* /*inner*/) {
  constexpr std::array<std::string_view, 3> kRefused = {"load_extension", "fts3_tokenizer",
                                                        "sqlite_log"};
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_PRAGMA:
      return what != nullptr && std::string_view(what) == kColumns ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return name != nullptr && std::ranges::find(kRefused, name) == kRefused.end() ? SQLITE_OK
                                                                                    : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

// A table is declared when it is first named. SQLite asks whether that may be, and from the time on
// when statements come it may not.
int declare(sqlite3* connection, std::string_view name) {
  sqlite3_stmt* made = nullptr;
  const std::string sql = fmt::format("SELECT 1 FROM {}", name);
  const int code = sqlite3_prepare_v2(connection, sql.c_str(), -1, &made, nullptr);
  const Statement statement(made);
  // Functions lack their arguments here.
  return made == nullptr && code == SQLITE_NOMEM ? code : SQLITE_OK;
}

Cell cell_of(sqlite3_stmt* statement, int column, std::string& room) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return static_cast<std::int64_t>(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      if (text == nullptr) throw std::bad_alloc();
      return std::string_view(text,
                              static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement, column));
      room =
          hexadecimal({bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))});
      return std::string_view(room);
    }
    default:
      return std::monostate{};
  }
}

// SQLite asks for LIKE and GLOB of an outer join's ON as if they stood in WHERE (seen with 3.40.1),
// so that rows without a partner would be missing.
bool may_join_outer(std::string_view sql) {
  std::string lower(sql);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(std::array{"left", "right", "full", "outer"},
                             [&](const char* word) { return lower.contains(word); });
}

}  // namespace

struct Database::State {
  State(const TraceTables& tables, const Limits& given, TableReader* table_reader,
        const std::vector<RowFunction>& brought)
      : limits(given),
        reader(table_reader),
        texts(tables.texts()),
        totals(totals_of(tables)),
        functions(brought) {
    for (const Table* const table : tables.all()) {
      shown.push_back({table->name(), table, &texts, false, &needs, &takes_patterns});
    }
    shown.push_back({"overlap", &tables.table("spans"), &texts, true, &needs, &takes_patterns});
    for (const Totals& one : totals)
      shown_totals.push_back({&one, &texts, &needs, &sets, &takes_patterns});
  }

  int open();
  // The first statement of the text, and where the next one begins. None: blanks, or a comment.
  Result<Prepared> prepare(const char* text, const char* last, const char*& next);
  Status run(const Prepared& prepared, RowSink& sink);
  Error failure() const;
  static int look_at_clock(void* of);

  Limits limits;
  TableReader* reader;
  Needs needs;                 // of statements that were prepared since it was empty
  bool takes_patterns = true;  // of what is being prepared
  TextIndex texts;
  std::vector<Totals> totals;
  ValueSets sets;
  std::vector<RowFunction> functions;
  std::deque<ShownTable> shown;
  std::deque<ShownTotals> shown_totals;
  Clock::time_point end;
  bool timed_out = false;
  std::unique_ptr<sqlite3, CloseConnection> connection;
};

int Database::State::look_at_clock(void* of) {
  auto* const state = static_cast<State*>(of);
  if (state->limits.time.count() == 0 || Clock::now() < state->end) return 0;
  state->timed_out = true;
  return 1;
}

int Database::State::open() {
  sqlite3* made = nullptr;
  int code = sqlite3_open_v2(
      ":memory:", &made,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
      nullptr);
  connection.reset(made);
  if (code != SQLITE_OK) return code;
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(limits.memory));
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_DQS_DML, 0},
                                      {SQLITE_DBCONFIG_DQS_DDL, 0}}) {
    sqlite3_db_config(made, option, value, nullptr);
  }
  for (const auto& [limit, value] : {std::pair{SQLITE_LIMIT_LENGTH, kLongestText},
                                     {SQLITE_LIMIT_SQL_LENGTH, kLongestStatement},
                                     {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kLongestPattern},
                                     {SQLITE_LIMIT_EXPR_DEPTH, kDeepest},
                                     {SQLITE_LIMIT_ATTACHED, 0},
                                     {SQLITE_LIMIT_WORKER_THREADS, 0}}) {
    sqlite3_limit(made, limit, value);
  }
  // What is sorted stays in memory, where the limit holds it.
  code = sqlite3_exec(made, "PRAGMA temp_store = MEMORY", nullptr, nullptr, nullptr);
  for (ShownTable& one : shown) {
    if (code == SQLITE_OK) code = show_table(made, one);
    if (code == SQLITE_OK) code = declare(made, one.name);
  }
  for (ShownTotals& one : shown_totals) {
    if (code == SQLITE_OK) code = show_totals(made, one);
    if (code == SQLITE_OK) code = declare(made, one.totals->name);
  }
  for (RowFunction& one : functions) {
    if (code == SQLITE_OK) code = add_row_function(made, one);
    if (code == SQLITE_OK) code = declare(made, one.name);
  }
  if (code == SQLITE_OK) code = declare(made, fmt::format("pragma_{}", kColumns));
  if (code == SQLITE_OK) code = add_overlap(made);
  if (code == SQLITE_OK) code = add_aggregates(made, sets);
  if (code == SQLITE_OK) code = add_format(made);
  if (code == SQLITE_OK) code = sqlite3_set_authorizer(made, authorize, nullptr);
  sqlite3_progress_handler(made, kStepsBetweenLooks, look_at_clock, this);
  return code;
}

// Of the statement that failed last.
Error Database::State::failure() const {
  switch (sqlite3_errcode(connection.get())) {
    case SQLITE_NOMEM:
      if (static_cast<std::uint64_t>(sqlite3_memory_highwater(0)) < limits.memory / 2) {
        throw std::bad_alloc();
      }
      return host_error(fmt::format("the query needs more than {}", byte_size(limits.memory)))
          .with_hint("ask for less at a time, or give it more with --memory-mb");
    case SQLITE_INTERRUPT:
      if (!timed_out) return usage_error("the query was interrupted");
      return host_error(fmt::format("the query took longer than {} s",
                                    static_cast<double>(limits.time.count()) / 1000))
          .with_hint("narrow it by time or name, or use a table of totals");
    case SQLITE_TOOBIG:
      return host_error(
                 fmt::format("a text of the query is longer than {}", byte_size(kLongestText)))
          .with_hint("group by more, so that each text has less to hold");
    case SQLITE_AUTH:
      return usage_error("only SELECT is possible: " + printable(sqlite3_errmsg(connection.get())))
          .with_hint("a trace is read and never changed");
    default:
      const std::string_view what = sqlite3_errmsg(connection.get());
      if (what == "no query solution" || what == kNoNumber) {
        return usage_error(fmt::format("SQL: {}",
                                       what == kNoNumber
                                           ? kNoNumber
                                           : "a table that takes numbers has too few or too many"))
            .with_hint(
                "all of them: overlap(from_ns, to_ns), span_totals(from_ns, to_ns) and other "
                "totals, critical_path(tid, from_ns, to_ns)");
      }
      return usage_error("SQL: " + printable(sqlite3_errmsg(connection.get())))
          .with_hint(
              "kutrace query --help lists the tables, kutrace query FILE .schema their columns");
  }
}

// What sums up a table is asked of its totals.
Result<Prepared> Database::State::prepare(const char* text, const char* last, const char*& next) {
  const Needs before = needs;
  takes_patterns = !may_join_outer({text, static_cast<std::size_t>(last - text)});
  sqlite3_stmt* made = nullptr;
  const int code =
      sqlite3_prepare_v2(connection.get(), text, static_cast<int>(last - text), &made, &next);
  Prepared prepared{Statement(made), {}};
  if (code != SQLITE_OK) return fail(failure());
  if (made == nullptr) return prepared;
  prepared.names = names_of(made);
  const auto sums = as_totals({text, static_cast<std::size_t>(next - text)}, totals);
  if (!sums) return prepared;
  const Needs of_rows = std::exchange(needs, before);
  sqlite3_stmt* other = nullptr;
  sqlite3_prepare_v2(connection.get(), sums->c_str(), -1, &other, nullptr);
  if (other == nullptr) {
    needs = of_rows;
  } else {
    prepared.statement.reset(other);
  }
  return prepared;
}

Status Database::State::run(const Prepared& prepared, RowSink& sink) {
  timed_out = false;
  end = Clock::now() + limits.time;
  sqlite3_stmt* const statement = prepared.statement.get();
  sink.columns(prepared.names);
  std::vector<Cell> cells(prepared.names.size());
  std::vector<std::string> rooms(prepared.names.size());
  while (true) {
    const int code = sqlite3_step(statement);
    if (reader != nullptr) KUTRACE_TRY(reader->state());
    if (code == SQLITE_DONE) break;
    if (code != SQLITE_ROW) {
      for (RowFunction& one : functions) KUTRACE_TRY(std::exchange(one.failure, Status()));
      return fail(failure());
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] = cell_of(statement, static_cast<int>(i), rooms[i]);
    }
    if (!sink.row(cells)) break;
  }
  sink.end();
  return {};
}

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Database(Database&& other) noexcept = default;
Database& Database::operator=(Database&& other) noexcept = default;
Database::~Database() = default;

Status Database::available() { return {}; }

Result<Database> Database::open(const TraceTables& tables, const Limits& limits,
                                TableReader* reader, const std::vector<RowFunction>& functions) {
  auto state = std::make_unique<State>(tables, limits, reader, functions);
  if (const int code = state->open(); code != SQLITE_OK) {
    if (code == SQLITE_NOMEM) throw std::bad_alloc();
    return fail(internal_error(fmt::format("SQLite does not open: {}", sqlite3_errstr(code))));
  }
  return Database(std::move(state));
}

// What is wrong is told when it is run.
Result<std::size_t> Database::expect(const std::vector<std::string>& statements) {
  std::size_t count = 0;
  state_->needs.clear();
  for (const std::string& sql : statements) {
    const char* at = sql.c_str();
    for (const char* const last = at + std::strlen(at); at != last;) {
      const char* next = last;
      const auto prepared = state_->prepare(at, last, next);
      if (!prepared) break;
      if (prepared->statement != nullptr) ++count;
      at = next;
    }
  }
  if (state_->reader != nullptr) KUTRACE_TRY(state_->reader->read(state_->needs));
  return count;
}

Status Database::run(std::string_view sql, RowSink& sink) {
  // SQLite would end the text there, and never come to its end.
  if (sql.contains('\0')) return fail(usage_error("the SQL contains a zero byte"));
  const char* at = sql.data();
  const char* const last = sql.data() + sql.size();
  while (at != last) {
    const char* next = last;
    state_->needs.clear();
    KUTRACE_ASSIGN(Prepared prepared, state_->prepare(at, last, next));
    if (prepared.statement != nullptr && state_->reader != nullptr) {
      KUTRACE_ASSIGN(const bool read, state_->reader->read(state_->needs));
      if (read) {
        prepared.statement.reset();
        KUTRACE_ASSIGN(prepared, state_->prepare(at, last, next));
      }
    }
    at = next;
    if (prepared.statement != nullptr) KUTRACE_TRY(state_->run(prepared, sink));
  }
  return {};
}

bool Database::is_complete(const std::string& sql) { return sqlite3_complete(sql.c_str()) == 1; }

void Database::interrupt() const { sqlite3_interrupt(state_->connection.get()); }

namespace {

Described::Field described(const Column& column) {
  return {std::string(column.name), column.type == ColumnType::kText ? "TEXT" : "INTEGER",
          std::string(column.meaning)};
}

}  // namespace

std::vector<Described> Database::names() const {
  std::vector<Described> all;
  for (const ShownTable& shown : state_->shown) {
    Described& one = all.emplace_back();
    one.name = shown.name;
    one.kind = shown.overlap ? "function" : "table";
    one.meaning = shown.overlap ? "overlap(from_ns, to_ns): spans that lie between them in part at "
                                  "least"
                                : std::string(shown.table->meaning());
    for (const Column& column : shown.table->columns()) one.columns.push_back(described(column));
    if (!shown.overlap) continue;
    one.columns.push_back({"part_ns", "INTEGER", "how much of it lies between them"});
  }
  for (const Totals& totals : state_->totals) {
    Described& one = all.emplace_back();
    one.name = totals.name;
    one.kind = "totals";
    one.meaning = totals.meaning;
    for (const std::size_t group : totals.groups) {
      one.columns.push_back(described(totals.table->columns()[group]));
    }
    for (const Measure& measure : totals.measures) {
      if (measure.kind == Measure::Kind::kValues) continue;
      one.columns.push_back({std::string(measure.name), "INTEGER", std::string(measure.meaning)});
    }
  }
  for (const RowFunction& function : state_->functions) {
    Described& one = all.emplace_back(Described{function.name, "function", function.meaning, {}});
    for (const RowFunction::Field& column : function.columns) {
      one.columns.push_back({column.name, column.type, column.meaning});
    }
  }
  all.push_back({std::string(kOverlapCall), "scalar", std::string(kOverlapMeaning), {}});
  for (const Aggregate& aggregate : aggregates()) {
    all.push_back({std::string(aggregate.call), "aggregate", std::string(aggregate.meaning), {}});
  }
  return all;
}

}  // namespace kutrace::query
