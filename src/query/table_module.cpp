// SPDX-License-Identifier: BSD-3-Clause
// Rows of a table to SQLite, those that fit its constraints.
#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>

#include "query/group_keys.h"
#include "query/module_parts.h"
#include "query/modules.h"

namespace kutrace::query {

namespace {

// Columns behind those of the table, of overlap().
enum Extra : std::size_t { kPart, kFrom, kTo, kExtras };

struct ShownVtab : sqlite3_vtab {
  explicit ShownVtab(const ShownTable& table) : sqlite3_vtab{}, shown(table) {}
  static int connect(sqlite3* connection, void* aux, int count, const char* const* words,
                     sqlite3_vtab** made, char** error);
  static int disconnect(sqlite3_vtab* table);
  static int best_index(sqlite3_vtab* table, sqlite3_index_info* info);

  std::size_t columns() const { return shown.table->columns().size(); }
  const ShownTable& shown;
};

int ShownVtab::connect(sqlite3* connection, void* aux, int /*count*/, const char* const* /*words*/,
                       sqlite3_vtab** made, char** /*error*/) {
  return guarded([&] {
    const ShownTable& shown = *static_cast<const ShownTable*>(aux);
    std::string sql = "CREATE TABLE x(";
    for (const Column& column : shown.table->columns()) {
      if (sql.back() != '(') sql += ", ";
      sql += declaration(column.name, column.type);
    }
    if (shown.overlap) sql += ", part_ns INTEGER, from_ns INTEGER HIDDEN, to_ns INTEGER HIDDEN";
    const int code = sqlite3_declare_vtab(connection, (sql + ")").c_str());
    if (code != SQLITE_OK) return code;
    *made = std::make_unique<ShownVtab>(shown).release();
    return SQLITE_OK;
  });
}

int ShownVtab::disconnect(sqlite3_vtab* table) {
  std::unique_ptr<ShownVtab>(static_cast<ShownVtab*>(table)).reset();
  return SQLITE_OK;
}

// Of a plan, what stands before this is asked of columns, what stands behind it are groups: number
// and direction of each column.
constexpr char kGroups = '|';

std::vector<GroupTerm> parse_groups(std::string_view text) {
  std::vector<GroupTerm> groups;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    GroupTerm& group = groups.emplace_back();
    at = std::from_chars(at, end, group.column).ptr;
    group.descending = *at++ == '-';
  }
  return groups;
}

class Plan {
 public:
  Plan(const ShownVtab& table, sqlite3_index_info& info)
      : table_(table), info_(info), rows_(static_cast<double>(table.shown.table->rows())) {}

  int make() {
    note_needs();
    if (table_.shown.overlap && !takes_window()) return SQLITE_CONSTRAINT;
    for (int i = 0; i < info_.nConstraint; ++i) take(i);
    info_.idxStr = plan_copy(plan_text(asked_) + kGroups + take_groups());
    if (info_.idxStr == nullptr) return SQLITE_NOMEM;
    info_.needToFreeIdxStr = 1;
    info_.estimatedRows = static_cast<sqlite3_int64>(std::max(1.0, rows_ * share_));
    info_.estimatedCost = 10 + rows_ * kCostOfScannedRow + static_cast<double>(info_.estimatedRows);
    return SQLITE_OK;
  }

 private:
  void note_needs() {
    Table::Columns needed = info_.colUsed;
    for (int i = 0; i < info_.nConstraint; ++i) needed |= bit(info_.aConstraint[i].iColumn);
    for (int i = 0; i < info_.nOrderBy; ++i) needed |= bit(info_.aOrderBy[i].iColumn);
    needed &= (Table::Columns{1} << table_.columns()) - 1;
    const Table& table = *table_.shown.table;
    if (table_.shown.overlap) {
      for (const char* const name : {"start_ns", "end_ns"}) {
        needed |= Table::Columns{1} << table.number(name);
      }
    }
    (*table_.shown.needs)[&table] |= needed;
  }
  static Table::Columns bit(int column) {
    return column < 0 ? 0 : Table::Columns{1} << static_cast<unsigned>(column);
  }
  // The times of overlap() must be known.
  bool takes_window() {
    for (const Extra wanted : {kFrom, kTo}) {
      const int found = find_argument(table_.columns() + wanted);
      if (found < 0) return false;
      asked_.push_back({table_.columns() + wanted, Comparison::kEqual, false});
      info_.aConstraintUsage[found].argvIndex = static_cast<int>(asked_.size());
      info_.aConstraintUsage[found].omit = 1;  // of a time with a fraction the whole part is taken
    }
    share_ *= kShareOfEqual;
    return true;
  }
  int find_argument(std::size_t column) const {
    for (int i = 0; i < info_.nConstraint; ++i) {
      const auto& constraint = info_.aConstraint[i];
      if (constraint.usable != 0 && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ &&
          constraint.iColumn == static_cast<int>(column)) {
        return i;
      }
    }
    return -1;
  }
  void take(int i) {
    const auto& constraint = info_.aConstraint[i];
    if (constraint.usable == 0 || constraint.iColumn < 0 ||
        static_cast<std::size_t>(constraint.iColumn) >= table_.columns()) {
      return;
    }
    const auto number = static_cast<std::size_t>(constraint.iColumn);
    const Column& column = table_.shown.table->columns()[number];
    const std::optional<Comparison> comparison =
        comparison_of(info_, i, column, *table_.shown.takes_patterns);
    if (!comparison) return;
    const bool exact = is_exact(info_, i, column, *comparison);
    asked_.push_back({number, *comparison, exact});
    auto& usage = info_.aConstraintUsage[i];
    usage.argvIndex = static_cast<int>(asked_.size());
    usage.omit = exact ? 1 : 0;
    share_ *= *comparison == Comparison::kEqual || *comparison == Comparison::kIn ? kShareOfEqual
                                                                                  : kShareOfRange;
  }

  // GROUP BY and DISTINCT want rows of the same values behind one another. Groups are sorted, too:
  // where ORDER BY names what GROUP BY does, SQLite leaves it out and relies on that.
  std::string take_groups() {
    const int distinct = sqlite3_vtab_distinct(&info_);
    if (info_.nOrderBy == 0 || (distinct != 1 && distinct != 2)) return {};
    std::vector<std::size_t> columns;
    std::string groups;
    for (int i = 0; i < info_.nOrderBy; ++i) {
      const auto& by = info_.aOrderBy[i];
      if (by.iColumn < 0 || static_cast<std::size_t>(by.iColumn) >= table_.columns()) return {};
      columns.push_back(static_cast<std::size_t>(by.iColumn));
      groups += std::to_string(by.iColumn) + (by.desc != 0 ? '-' : '+');
    }
    if (!can_group(*table_.shown.table, columns)) return {};
    info_.orderByConsumed = 1;
    return groups;
  }

  const ShownVtab& table_;
  sqlite3_index_info& info_;
  double rows_;
  double share_ = 1;
  std::vector<Asked> asked_;
};

int ShownVtab::best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  return guarded([&] { return Plan(*static_cast<ShownVtab*>(table), *info).make(); });
}

struct ShownCursor : sqlite3_vtab_cursor {
  static int open(sqlite3_vtab* table, sqlite3_vtab_cursor** made);
  static int close(sqlite3_vtab_cursor* cursor);
  static int filter(sqlite3_vtab_cursor* cursor, int number, const char* plan, int count,
                    sqlite3_value** values);
  static int next(sqlite3_vtab_cursor* cursor);
  static int eof(sqlite3_vtab_cursor* cursor);
  static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number);
  static int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id);

  const ShownTable& shown() const { return static_cast<const ShownVtab*>(pVtab)->shown; }
  int begin(std::string_view plan, sqlite3_value** values);
  void window(std::vector<Condition>& conditions) const;
  void step();
  std::size_t row() const {
    if (!scan) return grouped[place];
    return scan->block() * PackedColumn::kBlockRows + scan->rows()[place];
  }
  std::int64_t extra(std::size_t which) const;
  std::int64_t value(std::size_t number);

  // Values of a column of grouped rows, which lie far apart: asked for many at a time, memory
  // brings them side by side.
  struct Gathered {
    std::size_t first = 0;
    std::vector<std::int64_t> values;
  };
  static constexpr std::size_t kGathered = 4096;

  std::vector<Gathered> gathered;      // by column
  std::optional<RowScan> scan;         // block after block; else
  std::vector<std::uint32_t> grouped;  // all rows, in groups
  std::size_t place = 0;
  bool done = true;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

int ShownCursor::open(sqlite3_vtab* /*table*/, sqlite3_vtab_cursor** made) {
  return guarded([&] {
    *made = std::make_unique<ShownCursor>().release();
    return SQLITE_OK;
  });
}

int ShownCursor::close(sqlite3_vtab_cursor* cursor) {
  std::unique_ptr<ShownCursor>(static_cast<ShownCursor*>(cursor)).reset();
  return SQLITE_OK;
}

// What begins before the end of the window, and ends after its begin.
void ShownCursor::window(std::vector<Condition>& conditions) const {
  constexpr auto kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  const Table& table = *shown().table;
  Condition before{.column = table.number("start_ns"), .of = {}};
  before.greatest = to == kFirst ? kFirst : to - 1;
  Condition after{.column = table.number("end_ns"), .of = {}};
  after.least = from == kLast ? kLast : from + 1;
  conditions.push_back(std::move(before));
  conditions.push_back(std::move(after));
}

int ShownCursor::begin(std::string_view plan, sqlite3_value** values) {
  const std::size_t columns = shown().table->columns().size();
  std::vector<Condition> conditions;
  const std::size_t bar = plan.find(kGroups);
  const std::vector<Asked> asked = parse_plan(plan.substr(0, bar));
  const std::vector<GroupTerm> groups = parse_groups(plan.substr(bar + 1));
  bool unknown = false;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool is_argument = asked[i].column >= columns;
    if (is_argument && !is_number(values[i])) return refuse(*pVtab, kNoNumber);
    unknown |= is_argument && sqlite3_value_type(values[i]) == SQLITE_NULL;
    if (asked[i].column == columns + kFrom) {
      from = sqlite3_value_int64(values[i]);
    } else if (asked[i].column == columns + kTo) {
      to = sqlite3_value_int64(values[i]);
    } else if (auto condition = condition_of(asked[i], shown().table->columns()[asked[i].column],
                                             *shown().texts, values[i])) {
      conditions.push_back(std::move(*condition));
    }
  }
  place = 0;
  if (shown().overlap && (unknown || from > to)) {
    done = true;
    return SQLITE_OK;
  }
  if (shown().overlap) window(conditions);
  if (groups.empty()) {
    scan.emplace(*shown().table, conditions);
    done = !scan->next_block();
    return SQLITE_OK;
  }
  scan.reset();
  gathered.assign(columns, {});
  grouped = grouped_rows(*shown().table, conditions, groups, shown().texts->texts());
  done = grouped.empty();
  return SQLITE_OK;
}

int ShownCursor::filter(sqlite3_vtab_cursor* cursor, int /*number*/, const char* plan,
                        int /*count*/, sqlite3_value** values) {
  return guarded([&] { return static_cast<ShownCursor*>(cursor)->begin(plan, values); });
}

void ShownCursor::step() {
  if (++place < (scan ? scan->rows().size() : grouped.size())) return;
  if (!scan) {
    done = true;
    return;
  }
  place = 0;
  done = !scan->next_block();
}

int ShownCursor::next(sqlite3_vtab_cursor* cursor) {
  return guarded([&] {
    static_cast<ShownCursor*>(cursor)->step();
    return SQLITE_OK;
  });
}

int ShownCursor::eof(sqlite3_vtab_cursor* cursor) {
  return static_cast<ShownCursor*>(cursor)->done ? 1 : 0;
}

std::int64_t ShownCursor::extra(std::size_t which) const {
  if (which == kFrom) return from;
  if (which == kTo) return to;
  const Table& table = *shown().table;
  const std::int64_t start = table.columns()[table.number("start_ns")].value(row());
  const std::int64_t end = table.columns()[table.number("end_ns")].value(row());
  return std::min(end, to) - std::max(start, from);
}

std::int64_t ShownCursor::value(std::size_t number) {
  const Column& column = shown().table->columns()[number];
  if (scan) return column.value(row());
  Gathered& of = gathered[number];
  if (place < of.first || place - of.first >= of.values.size()) {
    of.first = place;
    of.values.resize(std::min(kGathered, grouped.size() - place));
    for (std::size_t i = 0; i < of.values.size(); ++i) {
      of.values[i] = column.value(grouped[place + i]);
    }
  }
  return of.values[place - of.first];
}

int ShownCursor::column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) {
  auto& self = *static_cast<ShownCursor*>(cursor);
  const std::vector<Column>& columns = self.shown().table->columns();
  const auto wanted = static_cast<std::size_t>(number);
  if (wanted >= columns.size()) {
    sqlite3_result_int64(context, self.extra(wanted - columns.size()));
    return SQLITE_OK;
  }
  return guarded([&] {
    give(context, columns[wanted].type, self.value(wanted), self.shown().texts->texts());
    return SQLITE_OK;
  });
}

int ShownCursor::row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<ShownCursor*>(cursor)->row());
  return SQLITE_OK;
}

}  // namespace

int show_table(sqlite3* connection, ShownTable& shown) {
  static const sqlite3_module module = module_of<ShownVtab, ShownCursor>();
  return sqlite3_create_module_v2(connection, std::string(shown.name).c_str(), &module, &shown,
                                  nullptr);
}

}  // namespace kutrace::query
