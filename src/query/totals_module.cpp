// SPDX-License-Identifier: BSD-3-Clause
// Sums to SQLite. A row is a combination of those columns that the query names; those that it does
// not name are not told apart. With two times as arguments, what begins between them is summed up.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "query/module_parts.h"
#include "query/modules.h"

namespace kutrace::query {

namespace {

// Columns behind groups and measures.
enum Extra : std::size_t { kFrom, kTo, kExtras };

struct TotalsVtab : sqlite3_vtab {
  explicit TotalsVtab(const ShownTotals& totals) : sqlite3_vtab{}, shown(totals) {}
  static int connect(sqlite3* connection, void* aux, int count, const char* const* words,
                     sqlite3_vtab** made, char** error);
  static int disconnect(sqlite3_vtab* table);
  static int best_index(sqlite3_vtab* table, sqlite3_index_info* info);

  const Column& group(std::size_t place) const {
    return shown.totals->table->columns()[shown.totals->groups[place]];
  }
  std::size_t groups() const { return shown.totals->groups.size(); }
  std::size_t columns() const { return groups() + shown.totals->measures.size(); }
  // Of SQLite's number of a column, the one here. The times, which are arguments, come before the
  // set of values there, which is the last measure, as hidden columns take arguments in order.
  std::size_t ours(std::size_t number) const {
    const std::size_t values = columns() - 1;
    if (number < values) return number;
    return number < values + kExtras ? number + 1 : values;
  }
  // The same of bits of columns.
  std::uint64_t ours_of(std::uint64_t bits) const {
    std::uint64_t mine = 0;
    for (std::size_t i = 0; i < columns() + kExtras; ++i) {
      if ((bits >> i & 1) != 0) mine |= std::uint64_t{1} << ours(i);
    }
    return mine;
  }
  const ShownTotals& shown;
};

int TotalsVtab::connect(sqlite3* connection, void* aux, int /*count*/, const char* const* /*words*/,
                        sqlite3_vtab** made, char** /*error*/) {
  return guarded([&] {
    auto table = std::make_unique<TotalsVtab>(*static_cast<const ShownTotals*>(aux));
    std::string sql = "CREATE TABLE x(";
    for (std::size_t i = 0; i < table->groups(); ++i) {
      sql += declaration(table->group(i).name, table->group(i).type) + ", ";
    }
    for (const Measure& measure : table->shown.totals->measures) {
      if (measure.kind == Measure::Kind::kValues) continue;
      sql += declaration(measure.name, ColumnType::kInteger) + ", ";
    }
    const std::string_view values = table->shown.totals->measures.back().name;
    sql +=
        "from_ns INTEGER HIDDEN, to_ns INTEGER HIDDEN, " + std::string(values) + " INTEGER HIDDEN)";
    const int code = sqlite3_declare_vtab(connection, sql.c_str());
    if (code == SQLITE_OK) *made = table.release();
    return code;
  });
}

int TotalsVtab::disconnect(sqlite3_vtab* table) {
  std::unique_ptr<TotalsVtab>(static_cast<TotalsVtab*>(table)).reset();
  return SQLITE_OK;
}

// What is summed up is read, by the columns that group and those that choose.
void note_needs(const TotalsVtab& table, const sqlite3_index_info& info) {
  const Totals& totals = *table.shown.totals;
  Table::Columns needed = 0;
  const auto need = [&](std::size_t number) {
    if (number < table.groups()) needed |= Table::Columns{1} << totals.groups[number];
    if (number >= table.groups() && number < table.columns()) {
      const Measure& measure = totals.measures[number - table.groups()];
      if (measure.kind != Measure::Kind::kCount) needed |= Table::Columns{1} << measure.column;
    }
    if (number >= table.columns()) {
      needed |= Table::Columns{1} << totals.table->number("start_ns");
    }
  };
  const std::uint64_t used = table.ours_of(info.colUsed);
  for (std::size_t i = 0; i < table.columns(); ++i) {
    if ((used >> i & 1) != 0) need(i);
  }
  for (int i = 0; i < info.nConstraint; ++i) {
    if (info.aConstraint[i].iColumn >= 0) {
      need(table.ours(static_cast<std::size_t>(info.aConstraint[i].iColumn)));
    }
  }
  (*table.shown.needs)[totals.table] |= needed;
}

int make_plan(const TotalsVtab& table, sqlite3_index_info& info) {
  note_needs(table, info);
  std::vector<Asked> asked;
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    if (constraint.iColumn < 0) continue;
    const std::size_t number = table.ours(static_cast<std::size_t>(constraint.iColumn));
    auto& usage = info.aConstraintUsage[i];
    if (number >= table.columns()) {
      if (constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (constraint.usable == 0) return SQLITE_CONSTRAINT;
      // What else is asked of it than the argument SQLite compares.
      if (std::ranges::find(asked, number, &Asked::column) != asked.end()) continue;
      asked.push_back({number, Comparison::kEqual, false});
      usage.omit = 1;  // of a time with a fraction the whole part is taken
    } else if (number < table.groups() && constraint.usable != 0) {
      const Column& column = table.group(number);
      const std::optional<Comparison> comparison =
          comparison_of(info, i, column, *table.shown.takes_patterns);
      if (!comparison) continue;
      const bool exact = is_exact(info, i, column, *comparison);
      asked.push_back({number, *comparison, exact});
      usage.omit = exact ? 1 : 0;
    } else if (number + 1 == table.columns() && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ) {
      return SQLITE_CONSTRAINT;  // a third argument is where the set of values is
    } else {
      continue;
    }
    usage.argvIndex = static_cast<int>(asked.size());
  }
  const auto is_asked = [&](Extra time) {
    return std::ranges::find(asked, table.columns() + time, &Asked::column) != asked.end();
  };
  // A time that is named must be an argument: as a value, none of the rows has it.
  const auto is_named = [&](Extra time) {
    return (table.ours_of(info.colUsed) >> (table.columns() + time) & 1) != 0;
  };
  const bool lacks = (is_named(kFrom) || is_named(kTo)) && !is_asked(kFrom);
  if (lacks || is_asked(kFrom) != is_asked(kTo)) return SQLITE_CONSTRAINT;
  info.idxStr = plan_copy(plan_text(asked));
  if (info.idxStr == nullptr) return SQLITE_NOMEM;
  info.needToFreeIdxStr = 1;
  const std::uint64_t all = (std::uint64_t{1} << table.columns()) - 1;
  info.idxNum = static_cast<int>(table.ours_of(info.colUsed) & all);
  info.estimatedRows = 100;
  info.estimatedCost =
      10 + static_cast<double>(table.shown.totals->table->rows()) * kCostOfScannedRow;
  return SQLITE_OK;
}

int TotalsVtab::best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  return guarded([&] { return make_plan(*static_cast<TotalsVtab*>(table), *info); });
}

struct TotalsCursor : sqlite3_vtab_cursor {
  static int open(sqlite3_vtab* table, sqlite3_vtab_cursor** made);
  static int close(sqlite3_vtab_cursor* cursor);
  static int filter(sqlite3_vtab_cursor* cursor, int used, const char* plan, int count,
                    sqlite3_value** values);
  static int next(sqlite3_vtab_cursor* cursor);
  static int eof(sqlite3_vtab_cursor* cursor);
  static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number);
  static int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id);

  const TotalsVtab& table() const { return *static_cast<const TotalsVtab*>(pVtab); }
  int begin(int used, const char* plan, sqlite3_value** values);
  void drop_sets();
  std::int64_t value(std::size_t number) const;

  std::vector<std::size_t> wanted;    // of the groups, those that the query names
  std::vector<std::size_t> measures;  // and of the measures
  std::vector<TotalsRow> rows;
  std::size_t place = 0;
  std::int64_t from = kNull;
  std::int64_t to = kNull;
};

int TotalsCursor::open(sqlite3_vtab* /*table*/, sqlite3_vtab_cursor** made) {
  return guarded([&] {
    *made = std::make_unique<TotalsCursor>().release();
    return SQLITE_OK;
  });
}

int TotalsCursor::close(sqlite3_vtab_cursor* cursor) {
  const std::unique_ptr<TotalsCursor> self(static_cast<TotalsCursor*>(cursor));
  self->drop_sets();
  return SQLITE_OK;
}

// Those of its rows.
void TotalsCursor::drop_sets() {
  const Totals& totals = *table().shown.totals;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (totals.measures[measures[m]].kind != Measure::Kind::kValues) continue;
    for (const TotalsRow& row : rows) table().shown.sets->drop(row.measures[m]);
  }
  rows.clear();
}

int TotalsCursor::begin(int used, const char* plan, sqlite3_value** values) {
  const Totals& totals = *table().shown.totals;
  drop_sets();
  wanted.clear();
  measures.clear();
  for (std::size_t i = 0; i < table().columns(); ++i) {
    if ((static_cast<unsigned>(used) >> i & 1) == 0) continue;
    if (i < table().groups()) {
      wanted.push_back(i);
    } else {
      measures.push_back(i - table().groups());
    }
  }
  from = to = kNull;
  bool unknown = false;
  Condition window{.column = totals.table->number("start_ns"), .of = {}};
  std::vector<Condition> conditions;
  const std::vector<Asked> asked = parse_plan(plan);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool is_argument = asked[i].column >= table().columns();
    if (is_argument && !is_number(values[i])) return refuse(*pVtab, kNoNumber);
    unknown |= is_argument && sqlite3_value_type(values[i]) == SQLITE_NULL;
    if (asked[i].column == table().columns() + kFrom) {
      window.least = from = sqlite3_value_int64(values[i]);
    } else if (asked[i].column == table().columns() + kTo) {
      to = sqlite3_value_int64(values[i]);
      window.greatest = to == std::numeric_limits<std::int64_t>::min() ? to : to - 1;
    } else if (auto condition = condition_of(asked[i], table().group(asked[i].column),
                                             *table().shown.texts, values[i])) {
      condition->column = totals.groups[asked[i].column];
      conditions.push_back(std::move(*condition));
    }
  }
  if (from != kNull || to != kNull) conditions.push_back(window);
  place = 0;
  if (!unknown) rows = sum_up(totals, wanted, measures, conditions, *table().shown.sets);
  return SQLITE_OK;
}

int TotalsCursor::filter(sqlite3_vtab_cursor* cursor, int used, const char* plan, int /*count*/,
                         sqlite3_value** values) {
  return guarded([&] { return static_cast<TotalsCursor*>(cursor)->begin(used, plan, values); });
}

int TotalsCursor::next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<TotalsCursor*>(cursor)->place;
  return SQLITE_OK;
}

int TotalsCursor::eof(sqlite3_vtab_cursor* cursor) {
  const auto& self = *static_cast<const TotalsCursor*>(cursor);
  return self.place >= self.rows.size() ? 1 : 0;
}

std::int64_t TotalsCursor::value(std::size_t number) const {
  const TotalsRow& row = rows[place];
  if (number >= table().columns()) return number - table().columns() == kFrom ? from : to;
  const bool group = number < table().groups();
  const std::vector<std::size_t>& named = group ? wanted : measures;
  const auto found = std::ranges::find(named, group ? number : number - table().groups());
  if (found == named.end()) return kNull;
  const auto at = static_cast<std::size_t>(found - named.begin());
  return group ? row.groups[at] : row.measures[at];
}

int TotalsCursor::column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) {
  const auto& self = *static_cast<const TotalsCursor*>(cursor);
  const std::size_t wanted = self.table().ours(static_cast<std::size_t>(number));
  const bool group = wanted < self.table().groups();
  give(context, group ? self.table().group(wanted).type : ColumnType::kInteger, self.value(wanted),
       self.table().shown.texts->texts());
  return SQLITE_OK;
}

int TotalsCursor::row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<TotalsCursor*>(cursor)->place);
  return SQLITE_OK;
}

}  // namespace

int show_totals(sqlite3* connection, ShownTotals& shown) {
  static const sqlite3_module module = module_of<TotalsVtab, TotalsCursor>();
  return sqlite3_create_module_v2(connection, std::string(shown.totals->name).c_str(), &module,
                                  &shown, nullptr);
}

}  // namespace kutrace::query
