// SPDX-License-Identifier: BSD-3-Clause
// SQL over a trace gives what SQL over a copy of its tables gives, for thousands of random queries;
// SQL that means harm does none.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "emit/page/page_writer.h"
#include "format/name_entries.h"
#include "format/raw_file.h"
#include "query/aggregates.h"
#include "query/as_totals.h"
#include "query/database.h"
#include "query/needed_tables.h"
#include "query/row_scan.h"
#include "query/shown_totals.h"
#include "query/trace_tables.h"
#include "read/page/page_reader.h"
#include "spans/rebuild.h"
#include "support/event_numbers.h"
#include "support/own_page.h"
#include "support/span_generator.h"
#include "support/trace_builder.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

using query::Cell;
using query::Database;
using query::Described;
using query::TraceTables;
using Rows = std::vector<std::string>;

constexpr const char* kFailed = "failed";

std::string text_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("i{}", *whole);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("r{:.10g}", *real);
  if (const auto* text = std::get_if<std::string_view>(&cell)) return fmt::format("'{}'", *text);
  return "NULL";
}

class Keep : public query::RowSink {
 public:
  void columns(const std::vector<std::string>& given) override { names = given; }
  bool row(const std::vector<Cell>& cells) override {
    std::string line;
    for (const Cell& cell : cells) line += text_of(cell) + "|";
    rows.push_back(line);
    return true;
  }
  void end() override {}
  Rows names;
  Rows rows;
};

// Rows to an ordinary table.
class CopyRows : public query::RowSink {
 public:
  CopyRows(sqlite3* to, std::string table) : to_(to), table_(std::move(table)) {}
  void columns(const std::vector<std::string>& names) override {
    std::string marks;
    for (std::size_t i = 0; i < names.size(); ++i) marks += i == 0 ? "?" : ",?";
    const std::string sql = fmt::format("INSERT INTO {} VALUES({})", table_, marks);
    REQUIRE(sqlite3_prepare_v2(to_, sql.c_str(), -1, &statement_, nullptr) == SQLITE_OK);
  }
  bool row(const std::vector<Cell>& cells) override {
    for (std::size_t i = 0; i < cells.size(); ++i) bind(static_cast<int>(i) + 1, cells[i]);
    CHECK(sqlite3_step(statement_) == SQLITE_DONE);
    sqlite3_reset(statement_);
    return true;
  }
  void end() override { sqlite3_finalize(statement_); }

 private:
  void bind(int place, const Cell& cell) {
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
      sqlite3_bind_int64(statement_, place, *whole);
    } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
      sqlite3_bind_text(statement_, place, text->data(), static_cast<int>(text->size()),
                        SQLITE_TRANSIENT);
    } else {
      sqlite3_bind_null(statement_, place);
    }
  }

  sqlite3* to_;
  std::string table_;
  sqlite3_stmt* statement_ = nullptr;
};

struct Close {
  void operator()(sqlite3* connection) const { sqlite3_close(connection); }
};

// Tables of a trace of which only what statements need is read, and SQL over them.
class Needed {
 public:
  using Replay = std::function<Result<TraceInfo>(NameTable&, SpanSink&)>;
  using Slabs = std::function<std::unique_ptr<SpanSlabs>(NameTable&)>;

  Needed(const Replay& replay, const Slabs& slabs)
      : tables_(names_, {.slabs = [this, slabs] { return slabs ? slabs(names_) : nullptr; },
                         .replay = [this, replay](SpanSink& sink) { return replay(names_, sink); },
                         .first_read = {}}) {
    auto opened = Database::open(tables_.tables(), {}, &tables_);
    REQUIRE(opened);
    database_ = std::make_unique<Database>(std::move(*opened));
  }
  Database& database() { return *database_; }

 private:
  NameTable names_;
  query::NeededTables tables_;
  std::unique_ptr<Database> database_;
};

// A trace, and a plain database that holds the same rows.
class Both {
 public:
  Both() : tables_(names_) {}
  TraceTables& tables() { return tables_; }
  NameTable& names() { return names_; }

  void copy() {
    auto opened = Database::open(tables_, {});
    REQUIRE(opened);
    database_ = std::make_unique<Database>(std::move(*opened));
    sqlite3* made = nullptr;
    REQUIRE(sqlite3_open(":memory:", &made) == SQLITE_OK);
    plain_.reset(made);
    REQUIRE(query::add_aggregates(made, no_sets_) == SQLITE_OK);
    for (const Described& one : database_->names()) {
      if (one.kind != "table") continue;
      described_.push_back(one);
      std::string columns;
      for (const auto& column : one.columns) {
        columns += (columns.empty() ? "" : ", ") + column.name + " " + column.type;
      }
      const std::string sql = fmt::format("CREATE TABLE {}({}); BEGIN", one.name, columns);
      REQUIRE(sqlite3_exec(made, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
      CopyRows rows(made, one.name);
      REQUIRE(database_->run("SELECT * FROM " + one.name, rows));
      REQUIRE(sqlite3_exec(made, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK);
    }
  }

  const std::vector<Described>& described() const { return described_; }
  // From now on only what statements need is read: of a few statements anew each time.
  void read_what_is_needed(Needed::Replay replay, Needed::Slabs slabs) {
    replay_ = std::move(replay);
    slabs_ = std::move(slabs);
  }
  Rows trace(const std::string& sql) {
    Keep keep;
    if (replay_ && asked_++ % 7 == 0) needed_ = std::make_unique<Needed>(replay_, slabs_);
    const Status done = (needed_ ? needed_->database() : *database_).run(sql, keep);
    return done ? keep.rows : Rows{kFailed};
  }
  // A query that fails (sums that overflow do) gives one row that says so.
  Rows plain(const std::string& sql) const {
    sqlite3_stmt* statement = nullptr;
    INFO(sql);
    if (sqlite3_prepare_v2(plain_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      FAIL(sqlite3_errmsg(plain_.get()));
    }
    Rows rows;
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
      std::string line;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) line += plain_cell(statement, i);
      rows.push_back(line);
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? rows : Rows{kFailed};
  }
  // The same rows, in any order; `other`: for the plain tables, where it differs.
  void same(const std::string& sql, const std::string& other = {}) {
    Rows one = trace(sql);
    Rows two = plain(other.empty() ? sql : other);
    std::ranges::sort(one);
    std::ranges::sort(two);
    compare(sql, one, two);
  }
  // The same rows in the same order.
  void same_in_order(const std::string& sql) { compare(sql, trace(sql), plain(sql)); }
  std::size_t rows() const { return rows_; }
  std::size_t failed() const { return failed_; }
  Database& database() { return *database_; }
  std::vector<query::Totals> totals() const { return query::totals_of(tables_); }

 private:
  void compare(const std::string& sql, const Rows& one, const Rows& two) {
    INFO(sql);
    const bool equal = one == two;
    CHECK(equal);
    if (!equal) {
      WARN(fmt::format("{} and {} rows: {} / {}", one.size(), two.size(),
                       one.empty() ? "" : one.front(), two.empty() ? "" : two.front()));
    }
    rows_ += one.size();
    if (one == Rows{kFailed}) ++failed_;
  }
  static std::string plain_cell(sqlite3_stmt* statement, int i) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_INTEGER:
        return fmt::format("i{}|", sqlite3_column_int64(statement, i));
      case SQLITE_FLOAT:
        return fmt::format("r{:.10g}|", sqlite3_column_double(statement, i));
      case SQLITE_NULL:
        return "NULL|";
      default:
        return fmt::format(
            "'{}'|",
            std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, i))));
    }
  }

  NameTable names_;
  TraceTables tables_;
  std::unique_ptr<Database> database_;
  Needed::Replay replay_;
  Needed::Slabs slabs_;
  std::unique_ptr<Needed> needed_;
  std::size_t asked_ = 0;
  query::ValueSets no_sets_;  // outlives the connection
  std::unique_ptr<sqlite3, Close> plain_;
  std::vector<Described> described_;
  std::size_t rows_ = 0;
  std::size_t failed_ = 0;
};

// Random queries over what a trace's tables hold.
class Queries {
 public:
  Queries(Both& both, std::uint64_t seed) : both_(both), engine_(seed) {
    for (const Described& table : both.described()) {
      for (const auto& column : table.columns) {
        auto& values = values_[table.name + "." + column.name];
        for (const std::string& row : both.plain(fmt::format(
                 "SELECT DISTINCT quote({}) FROM {} LIMIT 40", column.name, table.name))) {
          values.push_back(row.substr(1, row.size() - 3));  // 'x'|
        }
      }
    }
  }

  const Described& table() { return pick(both_.described()); }
  std::string column(const Described& table) { return pick(table.columns).name; }

  std::string value(const std::string& name) {
    const auto& known = values_[name];
    if (known.empty() || random(12) == 0) {
      static const std::vector<std::string> kOdd = {"NULL",
                                                    "0",
                                                    "-1",
                                                    "'x'",
                                                    "''",
                                                    "2.5",
                                                    "1e18",
                                                    "'7'",
                                                    "x'41'",
                                                    "9223372036854775807",
                                                    "-9223372036854775808",
                                                    "1 + 1",
                                                    "abs(-3)",
                                                    "'page_fault'",
                                                    "1e300",
                                                    "-0.5"};
      return pick(kOdd);
    }
    const std::string& text = pick(known);
    if (text.front() == '\'' || text == "NULL") return text;
    switch (random(8)) {
      case 0:
        return text + " + 0.5";
      case 1:
        return "'" + text + "'";
      case 2:
        return text + ".0";
      default:
        return text;
    }
  }

  std::string condition(const Described& table, const std::string& prefix = "") {
    const std::string bare = column(table);
    const std::string name = prefix + bare;
    const std::string key = table.name + "." + bare;
    static const std::vector<std::string> kOperators = {
        "=", "<", "<=", ">", ">=", "<>", "==", "IS", "IS NOT"};
    switch (random(12)) {
      case 0:
        return fmt::format("{} IN ({}, {}, {})", name, value(key), value(key), value(key));
      case 1:
        return fmt::format("{} BETWEEN {} AND {}", name, value(key), value(key));
      case 2:
        return fmt::format("{} {} NULL", name, random(2) == 0 ? "IS" : "IS NOT");
      case 3:
        return fmt::format("{} LIKE '%{}%'", name, pick(kPieces));
      case 4:
        return fmt::format("{} GLOB '*{}*'", name, pick(kPieces));
      case 5:
        return fmt::format("{} NOT IN ({}, {})", name, value(key), value(key));
      case 6:
        return fmt::format("{} = {} COLLATE NOCASE", name, value(key));
      default:
        return fmt::format("{} {} {}", name, pick(kOperators), value(key));
    }
  }
  std::string conditions(const Described& table, const std::string& prefix = "") {
    std::string all = condition(table, prefix);
    for (unsigned more = random(3); more != 0; --more) {
      all += (random(5) == 0 ? " OR " : " AND ") + condition(table, prefix);
    }
    return all;
  }

  std::string query() {
    const Described& of = table();
    const std::string where = random(8) == 0 ? "" : " WHERE " + conditions(of);
    const std::string a = column(of);
    const std::string b = column(of);
    switch (random(6)) {
      case 0:
        return fmt::format(
            "SELECT {}, count(*), count({}), sum({}), min({}), max({}) FROM {}{} "
            "GROUP BY {}",
            a, b, b, b, b, of.name, where, a);
      case 1:
        return fmt::format("SELECT DISTINCT {}, {} FROM {}{}", a, b, of.name, where);
      case 2:
        return fmt::format("SELECT {}, {} FROM {}{} ORDER BY 1 {}, 2 LIMIT {} OFFSET {}", a, b,
                           of.name, where, random(2) == 0 ? "DESC" : "ASC", random(50), random(9));
      case 3:
        return fmt::format("SELECT count(*), avg({}), total({}) FROM {}{}", a, b, of.name, where);
      default:
        return fmt::format("SELECT * FROM {}{}", of.name, where);
    }
  }
  // Groups in the order of what groups them.
  std::string sorted_groups() {
    const Described& of = table();
    const std::string where = random(2) == 0 ? "" : " WHERE " + conditions(of);
    const std::string a = column(of);
    const std::string b = column(of);
    const std::string limit = random(2) == 0 ? "" : fmt::format(" LIMIT {}", random(6));
    const std::string_view by_a = random(2) == 0 ? "" : " DESC";
    const std::string_view by_b = random(2) == 0 ? "" : " DESC";
    switch (random(3)) {
      case 0:
        return fmt::format("SELECT {}, count(*) FROM {}{} GROUP BY 1 ORDER BY 1{}{}", a, of.name,
                           where, by_a, limit);
      case 1:
        return fmt::format("SELECT DISTINCT {}, {} FROM {}{} ORDER BY 1{}, 2{}{}", a, b, of.name,
                           where, by_a, by_b, limit);
      default:
        return fmt::format(
            "SELECT {}, {}, count(*) FROM {}{} GROUP BY 1, 2 ORDER BY 1{}, "
            "2{}{}",
            a, b, of.name, where, by_a, by_b, limit);
    }
  }
  // Of two tables, of which the second is small.
  std::string join() {
    const Described& of = table();
    const Described& with = pick(both_.described());
    const bool small = with.name == "threads" || with.name == "cpus" || with.name == "processes";
    const Described& other = small ? with : named("threads");
    const std::string key = shared_column(of, other);
    if (key.empty()) return query();
    switch (random(3)) {
      case 0:
        return fmt::format("SELECT a.{}, b.{} FROM {} a JOIN {} b ON a.{} = b.{} WHERE {}",
                           column(of), column(other), of.name, other.name, key, key,
                           conditions(of, "a."));
      case 1:
        return fmt::format("SELECT a.{}, b.{} FROM {} b {} JOIN {} a ON a.{} = b.{} AND {}",
                           column(of), column(other), other.name, random(3) == 0 ? "FULL" : "LEFT",
                           of.name, key, key,
                           random(2) == 0 ? conditions(of, "a.") : conditions(other, "b."));
      default:
        return fmt::format("SELECT {} FROM {} WHERE {} IN (SELECT {} FROM {} WHERE {})", column(of),
                           of.name, key, key, other.name, conditions(other));
    }
  }
  // Sums of a table of totals, and of what it sums up.
  void totals(const std::string& totals, const std::string& table) {
    const Described& of = named(table);
    const std::string group = pick(kGroups);
    const std::string chosen = pick(kGroups);
    const std::string where = fmt::format("WHERE {} {} {}", chosen, random(3) == 0 ? "<>" : "=",
                                          value(of.name + "." + chosen));
    both_.same(fmt::format("SELECT {}, sum(count), sum(total_ns), min(min_ns), max(max_ns) FROM {} "
                           "{} GROUP BY {}",
                           group, totals, where, group),
               fmt::format("SELECT {}, count(*), sum(dur_ns), min(dur_ns), max(dur_ns) FROM {} {} "
                           "GROUP BY {}",
                           group, table, where, group));
  }
  // The rows of a table of totals by any of its columns, none of them included.
  void some_totals(const std::string& totals, const std::string& table) {
    std::string groups;
    for (const char* const group : {"name", "kind", "cpu", "tid", "pid", "process"}) {
      if (random(3) == 0) groups += fmt::format("{}{}", groups.empty() ? "" : ", ", group);
    }
    const std::string columns = groups + (groups.empty() ? "" : ", ");
    const std::string where =
        random(2) == 0 ? "" : fmt::format("WHERE tid = {}", value(table + ".tid"));
    both_.same(fmt::format("SELECT {}count, max_ns FROM {} {}", columns, totals, where),
               fmt::format("SELECT {}count(*), max(dur_ns) FROM {} {} {}", columns, table, where,
                           groups.empty() ? "HAVING count(*) <> 0" : "GROUP BY " + groups));
  }
  // Rows summed up by SQL's own words, which are asked of totals where these say the same.
  void sums() {
    const Described& of = named(pick(kSummed));
    std::vector<std::string> selected;
    std::string groups;
    for (unsigned left = random(3); left != 0; --left) {
      const std::string group = pick(kGroups);
      if (groups.contains(group)) continue;
      selected.push_back(group);
      groups += (groups.empty() ? " GROUP BY " : ", ") + group;
    }
    for (unsigned left = 1 + random(3); left != 0; --left) {
      const std::string name = random(4) == 0 ? fmt::format(" AS a{}", left) : "";
      selected.push_back(pick(kSums) + name);
    }
    std::string all;
    for (const std::string& one : selected) all += (all.empty() ? "" : ", ") + one;
    std::string where;
    for (unsigned left = random(3); left != 0; --left) {
      const std::string chosen = random(6) == 0 ? column(of) : pick(kGroups);
      where += fmt::format("{}{} {} {}",
                           where.empty()    ? " WHERE "
                           : random(4) == 0 ? " OR "
                                            : " AND ",
                           chosen, random(3) == 0 ? "<>" : "=", value(of.name + "." + chosen));
    }
    const std::string having = random(4) == 0 && !groups.empty() ? " HAVING count(*) > 2" : "";
    both_.same(fmt::format("SELECT {} FROM {}{}{}{}", all, of.name, where, groups, having));
  }
  std::int64_t moment(std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(-end / 10, end + end / 10)(engine_);
  }

 private:
  inline static const std::vector<std::string> kSummed = {"spans", "spans", "calls", "waits"};
  inline static const std::vector<std::string> kGroups = {"name", "tid", "thread", "pid",
                                                          "process"};
  inline static const std::vector<std::string> kSums = {"count(*)",
                                                        "sum(dur_ns)",
                                                        "min(dur_ns)",
                                                        "max(dur_ns)",
                                                        "avg(dur_ns)",
                                                        "count(dur_ns)",
                                                        "total(dur_ns)",
                                                        "Sum(dur_ns) / count(*)",
                                                        "count(distinct tid)",
                                                        "max(start_ns)",
                                                        "sum(dur_ns) * 2.5",
                                                        "count(*) > 3 and min(dur_ns) < 9",
                                                        "sum(dur_ns + 1)",
                                                        "count(tid)",
                                                        "sum(min(dur_ns, 100))",
                                                        "percentile(dur_ns, 50)",
                                                        "percentile(dur_ns, 99.5) - min(dur_ns)",
                                                        "percentile(start_ns, 50)",
                                                        "hist(dur_ns)",
                                                        "quantize(dur_ns)",
                                                        "lquantize(dur_ns, 0, 1000, 100)",
                                                        "max(name)"};
  inline static const std::vector<std::string> kPieces = {"a", "rea",   "E", "_",
                                                          "?", "[a-m]", "1", "worker"};

  unsigned random(std::size_t below) { return static_cast<unsigned>(engine_() % below); }
  template <typename List>
  const typename List::value_type& pick(const List& list) {
    return list[random(list.size())];
  }
  const Described& named(const std::string& name) const {
    return *std::ranges::find(both_.described(), name, &Described::name);
  }
  static std::string shared_column(const Described& a, const Described& b) {
    for (const char* const name : {"tid", "pid", "cpu"}) {
      if (std::ranges::count(a.columns, name, &Described::Field::name) == 1 &&
          std::ranges::count(b.columns, name, &Described::Field::name) == 1) {
        return name;
      }
    }
    return {};
  }

  Both& both_;
  std::mt19937_64 engine_;
  std::map<std::string, std::vector<std::string>> values_;
};

void load_truth(Both& both, std::uint64_t seed) {
  TruthOptions options = random_options(seed);
  options.noise = true;
  options.own = true;
  options.machine = MachineKind::kX86;
  Truth truth = generate_truth(options);
  auto file = RawFile::open(MappedFile::from_bytes(std::move(truth.file), "made"));
  REQUIRE(file);
  REQUIRE(spans::rebuild(*file, both.names(), both.tables()));
  both.copy();
}

void ask_all_sorts(Both& both, Queries& queries) {
  for (int i = 0; i < 400; ++i) both.same(queries.query());
  for (int i = 0; i < 150; ++i) both.same(queries.join());
  for (int i = 0; i < 40; ++i) {
    queries.totals("span_totals", "spans");
    queries.totals("call_totals", "calls");
    queries.totals("wait_totals", "waits");
    queries.some_totals("span_totals", "spans");
    queries.some_totals("call_totals", "calls");
  }
  for (int i = 0; i < 300; ++i) queries.sums();
}

// The plain tables hold all that the page says as a stream.
void read_page(Both& both, const read::PageSpans& page) {
  REQUIRE(page.replay(both.names(), both.tables()));
  both.copy();
  both.read_what_is_needed(
      [&](NameTable& names, SpanSink& sink) { return page.replay(names, sink); },
      [&](NameTable& names) { return page.slabs(names); });
}

void ask_page(const std::string& page, std::uint64_t seed) {
  const auto opened = read::PageSpans::open(page, "made");
  REQUIRE(opened);
  Both both;
  read_page(both, *opened);
  for (const Described& table : both.described()) both.same("SELECT * FROM " + table.name);
  Queries queries(both, seed);
  ask_all_sorts(both, queries);
  CHECK(both.rows() > 5'000);
}

std::string made_page(const MachineShape& shape, NameTable& names, bool container) {
  emit::PageWriter writer({.title = "made", .container = container});
  TraceInfo info = generate_spans(shape, names, writer);
  return finished_page(writer, info, names);
}

std::string made_container(const MachineShape& shape, NameTable& names) {
  return made_page(shape, names, true);
}

// Several blocks of rows.
void load_large(Both& both) {
  MachineShape shape;
  shape.spans = 70'000;
  TraceInfo info = generate_spans(shape, both.names(), both.tables());
  both.tables().end(info);
  both.copy();
}

}  // namespace

TEST_CASE("random queries over a trace and over a copy of its tables give the same") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Both both;
    load_truth(both, seed);
    REQUIRE(both.trace("SELECT * FROM spans").size() > 500);
    REQUIRE(both.trace("SELECT * FROM calls").size() > 50);
    Queries queries(both, seed);
    for (int i = 0; i < 700; ++i) both.same(queries.query());
    for (int i = 0; i < 300; ++i) both.same(queries.join());
    for (int i = 0; i < 300; ++i) both.same_in_order(queries.sorted_groups());
    for (int i = 0; i < 60; ++i) {
      queries.totals("span_totals", "spans");
      queries.totals("call_totals", "calls");
      queries.totals("wait_totals", "waits");
      queries.some_totals("span_totals", "spans");
      queries.some_totals("call_totals", "calls");
    }
    for (int i = 0; i < 500; ++i) queries.sums();
    CHECK(both.rows() > 10'000);
    CHECK(both.failed() < 100);
  }
}

TEST_CASE("random queries over many blocks of rows and over a copy give the same") {
  Both both;
  load_large(both);
  REQUIRE(both.tables().table("spans").blocks() > 2);
  Queries queries(both, 4);
  for (int i = 0; i < 150; ++i) both.same(queries.query());
  for (int i = 0; i < 60; ++i) both.same_in_order(queries.sorted_groups());
  for (int i = 0; i < 40; ++i) queries.totals("span_totals", "spans");
}

TEST_CASE("what is read when it is needed is what all of the trace says") {
  for (const std::uint64_t seed : {11u, 12u}) {
    TruthOptions options = random_options(seed);
    options.noise = true;
    const std::vector<std::byte> bytes = generate_truth(options).file;
    const auto file = RawFile::open(MappedFile::from_bytes(bytes, "made"));
    REQUIRE(file);
    Both both;
    REQUIRE(spans::rebuild(*file, both.names(), both.tables()));
    both.copy();
    both.read_what_is_needed(
        [&](NameTable& names, SpanSink& sink) { return spans::rebuild(*file, names, sink); }, {});
    Queries queries(both, seed);
    ask_all_sorts(both, queries);
    CHECK(both.rows() > 5'000);
  }
}

TEST_CASE("what is read of a page by its slabs is what all of the page says") {
  for (const std::uint64_t seed : {13u, 14u}) {
    TruthOptions options = random_options(seed);
    options.noise = true;
    const auto file = RawFile::open(MappedFile::from_bytes(generate_truth(options).file, "made"));
    REQUIRE(file);
    NameTable names;
    emit::PageWriter writer({.title = "made", .container = seed % 2 == 0});
    const auto info = spans::rebuild(*file, names, writer);
    REQUIRE(info);
    ask_page(finished_page(writer, *info, names), seed);
  }
}

TEST_CASE("a result that looks like an error's, and is none, is found in a page") {
  TraceBuilder trace;
  const LooseEntry entry = wide_entry({std::nullopt, std::nullopt, 65'500});
  trace.cpu(0, 10, "worker").at(10, kWrite, 7);
  trace.words_at(20, kind::kWIDE, entry.arg, entry.payload);
  trace.at(20, kWrite | kReturn, static_cast<std::uint16_t>(65'500));
  NameTable names;
  emit::PageWriter writer({.title = "made"});
  const auto info = spans::rebuild(trace.file(100), names, writer);
  REQUIRE(info);
  const std::string page = finished_page(writer, *info, names);
  const auto opened = read::PageSpans::open(page, "made");
  REQUIRE(opened);
  Both both;
  read_page(both, *opened);
  for (const char* const sql : {"SELECT name, result FROM spans WHERE result = 65500",
                                "SELECT name, result FROM spans WHERE result > 32767"}) {
    both.same(sql);
  }
  CHECK(both.rows() == 2);
}

TEST_CASE("what is read of several slabs is what all of the page says") {
  MachineShape shape;
  shape.spans = 560'000;
  shape.cpus = GENERATE(4u, 60u);  // blocks of one CPU, and of several
  NameTable names;
  const std::string page = made_page(shape, names, shape.cpus == 60);
  const auto opened = read::PageSpans::open(page, "made");
  REQUIRE(opened);
  REQUIRE(opened->slabs(names)->extents().size() > 4);
  const auto sums = opened->slabs(names)->cpu_sums();
  REQUIRE(sums);
  REQUIRE(sums->empty() == (shape.cpus == 60));  // they would be more than a hundredth of the page
  Both both;
  read_page(both, *opened);
  for (const char* const sql :
       {"SELECT count(*) FROM spans", "SELECT sum(dur_ns) FROM spans WHERE cpu = 1",
        "SELECT kind, cpu, count(*), sum(dur_ns) FROM spans GROUP BY kind, cpu",
        "SELECT * FROM spans WHERE start_ns BETWEEN 1000000 AND 1100000",
        "SELECT name, sum(count), sum(total_ns) FROM span_totals GROUP BY name",
        "SELECT tid, thread, arg, result, rpc FROM spans WHERE end_ns < 900000",
        "SELECT tid, sum(dur_ns) FROM spans WHERE cpu = 2 AND dur_ns > 5000 GROUP BY tid",
        "SELECT cpu, start_ns, dur_ns, arg FROM spans WHERE cpu IN (0, 3, 59) AND result <> 0",
        "SELECT DISTINCT start_ns / 1000000 FROM spans", "SELECT * FROM cpus",
        "SELECT name, count(*), min(dur_ns), max(dur_ns) FROM spans GROUP BY name",
        "SELECT kind, sum(dur_ns) FROM spans WHERE name <> 'x' GROUP BY kind",
        "SELECT count(*), sum(dur_ns) FROM spans WHERE cpu = 1 AND kind = 'user'",
        "SELECT count(*), sum(dur_ns) FROM spans WHERE start_ns BETWEEN 1000000 AND 1900000",
        "SELECT cpu, name, count(*), min(dur_ns), max(dur_ns) FROM spans GROUP BY cpu, name",
        "SELECT cpu, sum(dur_ns) FROM spans WHERE cpu >= 1 AND name LIKE '%a%' GROUP BY cpu",
        "SELECT name, sum(dur_ns) FROM spans WHERE kind = 'user' AND tid < 9 GROUP BY name"}) {
    const std::string plain = std::string(sql).contains("span_totals")
                                  ? "SELECT name, count(*), sum(dur_ns) FROM spans GROUP BY name"
                                  : sql;
    both.same(sql, plain);
  }
}

TEST_CASE("a question about one CPU or a short time reads only the blocks where it can be") {
  MachineShape shape;
  shape.spans = 560'000;
  NameTable names;
  const std::string page = made_container(shape, names);
  const auto opened = read::PageSpans::open(page, "made");
  REQUIRE(opened);
  const auto slabs = opened->slabs(names);
  TraceTables tables(names);
  const query::Table& spans = tables.table("spans");
  REQUIRE(tables.read(*slabs, {{&spans, query::Table::kAllColumns}}));
  const auto filled_by = [&](const query::Condition& condition) {
    std::size_t rows = 0;
    query::RowScan scan(spans, {condition});
    while (scan.next_block()) rows += scan.rows().size();
    CHECK(rows > 0);
    std::size_t filled = 0;
    for (std::size_t i = 0; i < spans.blocks(); ++i) filled += spans.is_filled(i) ? 1U : 0U;
    return filled;
  };
  const Ns middle = slabs->extents()[1].begin;
  const std::size_t of_moment = filled_by(
      {.column = spans.number("start_ns"), .least = middle, .greatest = middle + 1000, .of = {}});
  CHECK(of_moment <= 2 * (shape.cpus + 4));
  const std::size_t of_cpu =
      filled_by({.column = spans.number("cpu"), .least = 2, .greatest = 2, .of = {}});
  CHECK(of_cpu - of_moment <= spans.blocks() / 3);
  CHECK(filled_by({.column = spans.number("cpu"), .least = 0, .of = {}}) == spans.blocks());
}

TEST_CASE("a CPU's rows of a slab are the same however little of it is read") {
  MachineShape shape;
  shape.spans = 300'000;
  shape.cpus = 5;
  NameTable names;
  const std::string page = made_page(shape, names, GENERATE(false, true));
  const auto opened = read::PageSpans::open(page, "made");
  REQUIRE(opened);
  const auto slabs = opened->slabs(names);
  const auto some = opened->slabs(names);
  SlabColumns all;
  SlabColumns part;
  std::mt19937_64 random(17);
  for (std::size_t slab = 0; slab < slabs->extents().size(); ++slab) {
    REQUIRE(slabs->executions(slab, {}, all));
    for (int i = 0; i < 12; ++i) {
      const std::size_t first = random() % (all.sections.size() + 1);
      const std::size_t end = first + random() % (all.sections.size() + 1 - first);
      const auto columns = static_cast<unsigned>(random() % (SlabColumns::kAll + 1));
      REQUIRE(some->executions(slab, {columns, first, end}, part));
      std::size_t row = 0;
      for (std::size_t section = 0; section < end; ++section) {
        const std::size_t count = all.sections[section].spans;
        const auto same = [&](unsigned column, const auto& a, const auto& b) {
          if ((columns & column) == 0 || section < first) return true;
          return std::ranges::equal(std::span(a).subspan(row, count),
                                    std::span(b).subspan(row, count));
        };
        INFO("slab " << slab << ", section " << section << ", columns " << columns);
        CHECK(same(columns, all.kinds, part.kinds));
        CHECK(same(SlabColumns::kStarts, all.starts, part.starts));
        CHECK(same(SlabColumns::kDurations, all.durations, part.durations));
        CHECK(same(SlabColumns::kThreads, all.threads, part.threads));
        CHECK(same(SlabColumns::kArgs, all.args, part.args));
        CHECK(same(SlabColumns::kResults, all.results, part.results));
        CHECK(same(SlabColumns::kIpcs, all.ipcs, part.ipcs));
        CHECK(same(SlabColumns::kRpcs, all.rpcs, part.rpcs));
        row += count;
      }
    }
  }
}

TEST_CASE("overlap and windows of totals are what comparisons of times choose") {
  Both both;
  load_large(both);
  Queries queries(both, 5);
  const std::string last = both.plain("SELECT max(end_ns) FROM spans").front();
  const std::int64_t end = std::strtoll(last.c_str() + 1, nullptr, 10);
  REQUIRE(end > 0);
  for (int i = 0; i < 60; ++i) {
    const std::int64_t from = queries.moment(end);
    const std::int64_t length = queries.moment(end / 20);
    const std::int64_t to = i % 3 == 0 ? from : i % 3 == 1 ? from + length : from - length;
    both.same(fmt::format("SELECT start_ns, cpu, name, part_ns FROM overlap({}, {})", from, to),
              fmt::format("SELECT start_ns, cpu, name, min(end_ns, {1}) - max(start_ns, {0}) FROM "
                          "spans WHERE start_ns < {1} AND end_ns > {0} AND {0} <= {1}",
                          from, to));
    both.same(fmt::format("SELECT kind, count, total_ns FROM span_totals({}, {})", from, to),
              fmt::format("SELECT kind, count(*), sum(dur_ns) FROM spans WHERE start_ns >= {} AND "
                          "start_ns < {} GROUP BY kind",
                          from, to));
  }
  // A fraction of a time is cut off; of a time that is not known nothing is told.
  const std::int64_t half = end / 2;
  for (const char* const of : {"overlap", "span_totals"}) {
    const auto count = [&](const std::string& arguments) {
      return both.trace(fmt::format("SELECT count(*) FROM {}({})", of, arguments));
    };
    CHECK(count(fmt::format("0.5, {}.75", half)) == count(fmt::format("0, {}", half)));
    CHECK(count(fmt::format("'0', {}", half)) == count(fmt::format("0, {}", half)));
    CHECK(count(fmt::format("0, {}", half)) != Rows{"i0|"});
    CHECK(count(fmt::format("NULL, {}", half)) == Rows{"i0|"});
    CHECK(count("0, NULL") == Rows{"i0|"});
    CHECK(count(fmt::format("0, {}) WHERE (from_ns = 1", half)) == Rows{"i0|"});
  }
}

TEST_CASE("what is summed up by SQL's own words is what plain SQL sums up") {
  Both both;
  load_truth(both, 15);
  for (const char* const sql :
       {"select name, count(*) as n, sum(dur_ns) from spans group by name order by n desc, 1",
        "SELECT kind k, count(*) FROM spans GROUP BY kind ORDER BY k",
        "SELECT kind, cpu, count(*) FROM spans GROUP BY 1, 2 ORDER BY 3, 1, 2 LIMIT 5 OFFSET 1",
        "SELECT count(*), sum(dur_ns) FROM spans WHERE cpu = 77",
        "SELECT count(*) FROM spans",
        "SELECT avg(dur_ns) FROM spans WHERE cpu = 77",
        "SELECT sum(dur_ns) FROM spans;",
        "SELECT cpu AS count, sum(dur_ns) FROM spans GROUP BY cpu",
        "SELECT name AS total_ns, count(*) AS count FROM spans GROUP BY name ORDER BY count, name",
        "SELECT kind AS name, count(*) FROM spans GROUP BY name",
        "SELECT count(*) AS count FROM spans GROUP BY name HAVING count > 3",
        "SELECT count(*) AS count FROM spans GROUP BY name HAVING count(*) > 3",
        "SELECT tid * count(*) FROM spans GROUP BY tid",
        "SELECT 2 * count(*) FROM spans",
        "SELECT CASE WHEN cpu = 1 THEN 'one' ELSE name END, count(*) FROM spans GROUP BY cpu, name",
        "SELECT count(*) FROM spans WHERE name IN ('read', 'write') AND NOT (cpu = 0 OR tid > 9)",
        "SELECT count(*) FROM spans WHERE name = 'it''s' OR name LIKE '%a%' COLLATE NOCASE",
        "SELECT count(*), sum(dur_ns) FROM spans WHERE start_ns BETWEEN 9000 AND 200000",
        "SELECT cpu, sum(dur_ns) FROM spans WHERE cpu >= 0 AND start_ns BETWEEN 9000 AND 70000 "
        "AND name <> 'x' GROUP BY cpu ORDER BY cpu LIMIT 9",
        "SELECT kind, max(dur_ns) FROM spans WHERE start_ns BETWEEN 0 AND 70000 AND tid > 0 "
        "GROUP BY kind",
        "SELECT count(*) FROM spans WHERE tid >= 0 AND start_ns BETWEEN 9000 AND 9000",
        "SELECT count(*) FROM spans WHERE start_ns BETWEEN 9000 AND 8000",
        "SELECT count(*) FROM spans WHERE NOT start_ns BETWEEN 9000 AND 70000",
        "SELECT count(*) FROM spans WHERE start_ns BETWEEN 9000 AND 70000 OR cpu = 1",
        "SELECT count(*) FROM spans WHERE start_ns BETWEEN 9000 AND 70000 + 5",
        "SELECT count(*) FROM spans WHERE 1 + start_ns BETWEEN 9000 AND 70000",
        "SELECT count(*) FROM spans WHERE tid BETWEEN 0 AND start_ns BETWEEN 0 AND 1",
        "SELECT count(*) FROM spans WHERE start_ns BETWEEN 9000.5 AND 70000",
        "SELECT count(*) FROM spans WHERE start_ns BETWEEN 0 AND 9223372036854775807",
        "SELECT name, count(*) FROM calls WHERE start_ns BETWEEN 0 AND 90000 GROUP BY name",
        "SELECT count(*) FROM spans WHERE start_ns BETWEEN 0 AND 9 AND tid BETWEEN 0 AND 5",
        "SELECT count(*) FROM spans WHERE dur_ns > 100",
        "SELECT name FROM spans GROUP BY name",
        "SELECT count(*) FROM spans, cpus",
        "SELECT sum(count(*)) OVER () FROM spans GROUP BY cpu",
        "SELECT count(*) FILTER (WHERE cpu = 1) FROM spans",
        "SELECT count(*) FROM spans -- all",
        "SELECT count(*) FROM spans WHERE cpu = (SELECT min(cpu) FROM cpus)",
        "SELECT count(*) FROM spans UNION SELECT 1",
        "SELECT max(dur_ns), min(dur_ns) FROM waits",
        "SELECT error, count(*), sum(on_cpu_ns), sum(own_ns) FROM calls GROUP BY error",
        "SELECT count(error) FROM calls",
        "SELECT DISTINCT count(*) FROM spans GROUP BY cpu",
        "SELECT count(*) FROM spans GROUP BY cpu % 2",
        "SELECT count() FROM spans",
        "SELECT -sum(dur_ns), 1e-3 * sum(dur_ns), 0x10 FROM spans",
        "SELECT name FROM spans"}) {
    both.same(sql);
  }
  CHECK(both.failed() == 0);
  Keep keep;
  REQUIRE(both.database().run("SELECT cpu, sum(dur_ns), Count(*) n FROM spans GROUP BY cpu", keep));
  CHECK(keep.names == Rows{"cpu", "sum(dur_ns)", "n"});
  // Windows are asked of totals, too.
  const auto turned = query::as_totals(
      "SELECT count(*) FROM spans WHERE cpu = 1 AND start_ns BETWEEN 5 AND 9", both.totals());
  REQUIRE(turned);
  CHECK(turned->contains("span_totals(5, 9 + 1)"));
  // So are aggregates of all values, of several totals for each group, too.
  const auto values = query::as_totals(
      "SELECT name, percentile(dur_ns, 99.5) FROM spans WHERE cpu = 1 GROUP BY name",
      both.totals());
  REQUIRE(values);
  CHECK(values->contains("values_percentile(dur_values, 99.5)"));
  for (
      const char* const sql :
      {"SELECT name, percentile(dur_ns, 90) FROM spans WHERE cpu <> 1 GROUP BY name",
       "SELECT percentile(dur_ns, 0), hist(dur_ns) FROM waits WHERE tid = -5",
       "SELECT process, hist(dur_ns) FROM calls GROUP BY process HAVING percentile(dur_ns, 50) > 9",
       "SELECT tid, lquantize(dur_ns, 10, 20, 5) FROM waits GROUP BY tid ORDER BY quantize(dur_ns)",
       "SELECT percentile(dur_ns, 101) FROM spans", "SELECT percentile(dur_ns, tid) FROM spans"}) {
    both.same(sql);
  }
}

TEST_CASE("spans cover every CPU's time, and calls are what their parts say") {
  Both both;
  load_truth(both, 6);
  CHECK(both.trace("SELECT cpu FROM spans GROUP BY cpu HAVING sum(dur_ns) <> (SELECT time_ns FROM "
                   "cpus WHERE cpus.cpu = spans.cpu)")
            .empty());
  CHECK(both.trace("SELECT * FROM cpus WHERE user_ns + kernel_ns + idle_ns + lost_ns + hidden_ns "
                   "<> time_ns")
            .empty());
  CHECK(both.trace("SELECT * FROM calls WHERE on_cpu_ns + wait_ns + unknown_ns <> dur_ns").empty());
  CHECK(both.trace("SELECT 1 FROM calls LEFT JOIN (SELECT call_id, sum(dur_ns) AS own FROM spans "
                   "GROUP BY call_id) ON call_id = id WHERE own_ns <> coalesce(own, 0)")
            .empty());
}

TEST_CASE("two processes that had one number in turn are two") {
  TraceBuilder trace;
  trace.name(kind::kPID_NAME, 10, "maker").name(kind::kPID_NAME, 20, "first");
  trace.task(10, 10, 0).task(20, 20, 0);
  trace.cpu(0, 20).at(100, ev::kUSERPID, 10);
  trace.words_at(110, kind::kTASK, 20, {0, 20 | std::uint64_t{10} << 32});
  constexpr std::uint64_t kSecond = 0x646e'6f63'6573;  // "second"
  trace.words_at(111, kind::kPID_NAME, 20, {kSecond}).at(120, ev::kUSERPID, 20);
  trace.at(140, ev::kUSERPID, 10);
  Both both;
  REQUIRE(spans::rebuild(trace.file(200), both.names(), both.tables()));
  both.copy();
  CHECK(both.trace("SELECT pid, process, threads, on_cpu_ns FROM processes WHERE pid = 20 "
                   "ORDER BY process") == Rows{"i20|'first'|i1|i1600|", "i20|'second'|i1|i320|"});
  CHECK(both.trace("SELECT process, sum(dur_ns) FROM spans WHERE tid = 20 AND kind = 'user' "
                   "GROUP BY process") == Rows{"'first'|i1600|", "'second'|i320|"});
}

// A field of printf, and what it shows.
std::pair<std::string, std::string> random_field(std::mt19937_64& engine) {
  const auto one_of = [&](const std::vector<std::string>& list) {
    return list[engine() % list.size()];
  };
  const std::string flags = one_of({"", "", "-", "+", " ", "0", "#", ",", "!", "-+", "0,", "!#"});
  const std::string width = one_of({"", "", "1", "7", "20", "*"});
  const std::string precision = one_of({"", "", ".", ".0", ".1", ".12", ".*"});
  const std::string conversion =
      one_of({"d", "i", "u", "x", "X", "o", "p", "e",  "E",   "f", "g", "G",
              "s", "z", "q", "Q", "w", "c", "%", "ld", "lld", "n", "y", ""});
  std::string values;
  if (width == "*") values += ", " + one_of({"5", "-9", "0", "NULL", "'12'", "3.7"});
  if (precision == ".*") values += ", " + one_of({"0", "3", "-2", "17", "'x'"});
  if (engine() % 20 != 0) {
    values += ", " + one_of({"0", "-1", "42", "65537", "9223372036854775807",
                             "-9223372036854775808", "0.5", "-2.75e4", "1e300", "'read'", "''",
                             "'it''s \"so\"'", "'\u00fcber'", "NULL", "x'41'"});
  }
  return {"%" + flags + width + precision + conversion, values};
}

TEST_CASE("printf and format give what SQLite's own give") {
  Both both;
  load_truth(both, 9);
  std::mt19937_64 engine(10);
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    std::string values;
    for (std::size_t n = 1 + engine() % 3; n != 0; --n) {
      const auto [field, value] = random_field(engine);
      text += "a" + field + (engine() % 2 == 0 ? "b\u00fc" : "");
      values += value;
    }
    both.same(fmt::format("SELECT {}('{}'{})", i % 2 == 0 ? "printf" : "format", text, values));
  }
  CHECK(both.failed() == 0);
  for (const char* const sql : {"SELECT printf()", "SELECT printf(NULL)", "SELECT printf('')",
                                "SELECT printf('%')", "SELECT typeof(printf('x'))"}) {
    both.same(sql);
  }
}

TEST_CASE("SQL that would do more than read is refused") {
  Both both;
  load_truth(both, 7);
  const std::string count = both.trace("SELECT count(*) FROM spans").front();
  const std::filesystem::path place = std::filesystem::temp_directory_path() /
                                      fmt::format("kutrace-harm-{}", std::random_device{}());
  const std::string file = place.string();
  for (const std::string& sql :
       std::vector<std::string>{"ATTACH '" + file + "' AS x",
                                "VACUUM INTO '" + file + "'",
                                "VACUUM",
                                "PRAGMA temp_store_directory='/tmp'",
                                "PRAGMA writable_schema=ON",
                                "PRAGMA hard_heap_limit=0",
                                "SELECT * FROM pragma_hard_heap_limit(0)",
                                "CREATE TABLE t(a)",
                                "CREATE TEMP TABLE t(a)",
                                "CREATE VIEW v AS SELECT 1",
                                "CREATE VIRTUAL TABLE f USING fts5(a)",
                                "INSERT INTO spans VALUES(1)",
                                "UPDATE spans SET cpu = 1",
                                "DELETE FROM spans",
                                "DROP TABLE spans",
                                "DELETE FROM sqlite_master",
                                "INSERT INTO sqlite_master VALUES(1,1,1,1,1)",
                                "SELECT load_extension('" + file + "')",
                                "SELECT fts3_tokenizer('simple')",
                                "SELECT writefile('" + file + "', 'x')",
                                "SELECT readfile('/etc/passwd')",
                                "BEGIN",
                                "COMMIT",
                                "SAVEPOINT x",
                                "ANALYZE",
                                "DETACH main",
                                "WITH x AS (SELECT 1) INSERT INTO spans SELECT * FROM x",
                                "SELECT edit('x')",
                                "SELECT * FROM spans; DROP TABLE spans"}) {
    Keep keep;
    INFO(sql);
    CHECK_FALSE(both.database().run(sql, keep));
    CHECK_FALSE(std::filesystem::exists(place));
    CHECK(both.trace("SELECT count(*) FROM spans").front() == count);
  }
}

TEST_CASE("SQL without end, or that asks for too much memory, is ended by the limits") {
  NameTable names;
  TraceTables tables(names);
  TraceInfo info = generate_spans({}, names, tables);
  tables.end(info);
  query::Limits limits;
  limits.memory = 16u << 20;
  limits.time = std::chrono::milliseconds(200);
  auto database = Database::open(tables, limits);
  REQUIRE(database);
  const std::string many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
  for (const std::string& sql : std::vector<std::string>{
           many + "SELECT count(*) FROM n", "SELECT count(*) FROM spans a, spans b, spans c",
           many + "SELECT max(s) FROM (SELECT group_concat(i) s FROM n)",
           many + "SELECT percentile(i, 50) FROM n", many + "SELECT i FROM n ORDER BY -i",
           "SELECT zeroblob(2000000000)", "SELECT printf('%.*c', 2000000000, 'x')",
           "SELECT format('%9999999999d', 1)", "SELECT format('%.*f', 2000000, 1)",
           "SELECT format('%*d', -2147483648, 1)",
           many + "SELECT max(length(format('%900000d%900000d', i, i))) FROM n",
           many + "SELECT sum(length(hex(format('%400000d', i)))) FROM n",
           "SELECT hex(randomblob(16000000)) || hex(randomblob(16000000))",
           "SELECT count(DISTINCT a.start_ns + b.start_ns) FROM spans a, spans b",
           "SELECT " + std::string(5000, '(') + "1" + std::string(5000, ')'),
           "SELECT lquantize(dur_ns, 0, 1000000000, 1) FROM spans",
           "SELECT lquantize(dur_ns, 9, 1, 1) FROM spans",
           "SELECT percentile(dur_ns, 200) FROM spans", std::string(2'000'000, ' ') + "SELECT 1"}) {
    Keep keep;
    INFO(sql.substr(0, 100));
    const Status done = database->run(sql, keep);
    CHECK_FALSE(done);
    Keep after;
    CHECK(database->run("SELECT count(*) FROM spans", after));
  }
  Keep keep;
  const Status long_text = database->run("SELECT zeroblob(300000)", keep);
  REQUIRE_FALSE(long_text);
  CHECK(long_text.error().kind == ErrorKind::kHost);  // a limit, not wrong SQL
  sqlite3_hard_heap_limit64(0);
}

TEST_CASE("a zero byte in SQL is refused, wherever it stands") {
  Both both;
  load_truth(both, 8);
  const std::string sql = "SELECT 1; SELECT 2;";
  for (std::size_t at = 0; at <= sql.size(); ++at) {
    Keep keep;
    std::string with_zero = sql;
    with_zero.insert(at, 1, '\0');
    CHECK_FALSE(both.database().run(with_zero, keep));
    CHECK(keep.rows.empty());
  }
}

TEST_CASE("statements of random words end, with rows or a sentence") {
  Both both;
  load_truth(both, 8);
  std::mt19937_64 engine(9);
  const std::vector<std::string> words = {"SELECT",
                                          "*",
                                          "FROM",
                                          "spans",
                                          "WHERE",
                                          "name",
                                          "=",
                                          "'read'",
                                          "(",
                                          ")",
                                          ",",
                                          "GROUP BY",
                                          "ORDER BY",
                                          "LIMIT",
                                          "1",
                                          "-1",
                                          "NULL",
                                          "JOIN",
                                          "calls",
                                          "ON",
                                          "count(*)",
                                          "percentile",
                                          "quantize(dur_ns)",
                                          "overlap(1,2)",
                                          "span_totals",
                                          "IN",
                                          "SELECT name FROM",
                                          "UNION",
                                          "AS x",
                                          "CASE",
                                          "WHEN",
                                          "END",
                                          ";",
                                          "--",
                                          "/*",
                                          "LIKE",
                                          "'%'",
                                          "x'00'",
                                          "\x01",
                                          "WITH",
                                          "VALUES",
                                          "ATTACH",
                                          "PRAGMA",
                                          "INSERT INTO",
                                          "DROP",
                                          "hist(*)",
                                          "lquantize(1,2,3,4)",
                                          "rowid",
                                          "OVER ()"};
  for (int i = 0; i < 3000; ++i) {
    std::string sql = i % 3 == 0 ? "" : "SELECT ";
    for (std::size_t n = engine() % 12; n != 0; --n) sql += words[engine() % words.size()] + " ";
    Keep keep;
    INFO(sql);
    const Status done = both.database().run(sql, keep);
    if (!done) CHECK_FALSE(done.error().sentence.empty());
  }
}

}  // namespace kutrace::test
