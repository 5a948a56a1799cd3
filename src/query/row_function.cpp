// SPDX-License-Identifier: BSD-3-Clause
// A function to SQLite, as a table whose hidden columns are its arguments.
#include "query/row_function.h"

#include <memory>

#include "query/module_parts.h"
#include "query/modules.h"

namespace kutrace::query {

namespace {

struct FunctionVtab : sqlite3_vtab {
  explicit FunctionVtab(RowFunction& of) : sqlite3_vtab{}, function(of) {}
  static int connect(sqlite3* connection, void* aux, int count, const char* const* words,
                     sqlite3_vtab** made, char** error);
  static int disconnect(sqlite3_vtab* table);
  static int best_index(sqlite3_vtab* table, sqlite3_index_info* info);

  RowFunction& function;
};

int FunctionVtab::connect(sqlite3* connection, void* aux, int /*count*/,
                          const char* const* /*words*/, sqlite3_vtab** made, char** /*error*/) {
  return guarded([&] {
    RowFunction& function = *static_cast<RowFunction*>(aux);
    std::string sql = "CREATE TABLE x(";
    for (const RowFunction::Field& column : function.columns) {
      sql += column.name + ' ' + column.type + ", ";
    }
    for (const std::string& argument : function.arguments) {
      sql += argument + " INTEGER HIDDEN" + (&argument == &function.arguments.back() ? ")" : ", ");
    }
    const int code = sqlite3_declare_vtab(connection, sql.c_str());
    if (code == SQLITE_OK) *made = std::make_unique<FunctionVtab>(function).release();
    return code;
  });
}

int FunctionVtab::disconnect(sqlite3_vtab* table) {
  std::unique_ptr<FunctionVtab>(static_cast<FunctionVtab*>(table)).reset();
  return SQLITE_OK;
}

int FunctionVtab::best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  const RowFunction& function = static_cast<FunctionVtab*>(table)->function;
  for (std::size_t argument = 0; argument < function.arguments.size(); ++argument) {
    const auto column = static_cast<int>(function.columns.size() + argument);
    int found = -1;
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.usable != 0 && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ &&
          constraint.iColumn == column) {
        found = i;
      }
    }
    if (found < 0) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[found].argvIndex = static_cast<int>(argument) + 1;
    info->aConstraintUsage[found].omit = 1;
  }
  info->estimatedRows = 100;
  info->estimatedCost = 1e6;
  return SQLITE_OK;
}

struct FunctionCursor : sqlite3_vtab_cursor {
  static int open(sqlite3_vtab* table, sqlite3_vtab_cursor** made);
  static int close(sqlite3_vtab_cursor* cursor);
  static int filter(sqlite3_vtab_cursor* cursor, int number, const char* plan, int count,
                    sqlite3_value** values);
  static int next(sqlite3_vtab_cursor* cursor);
  static int eof(sqlite3_vtab_cursor* cursor);
  static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number);
  static int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id);

  RowFunction& function() const { return static_cast<FunctionVtab*>(pVtab)->function; }
  int begin(int count, sqlite3_value** values);

  std::vector<std::int64_t> arguments;
  RowFunction::Rows rows;
  std::size_t place = 0;
};

int FunctionCursor::open(sqlite3_vtab* /*table*/, sqlite3_vtab_cursor** made) {
  return guarded([&] {
    *made = std::make_unique<FunctionCursor>().release();
    return SQLITE_OK;
  });
}

int FunctionCursor::close(sqlite3_vtab_cursor* cursor) {
  std::unique_ptr<FunctionCursor>(static_cast<FunctionCursor*>(cursor)).reset();
  return SQLITE_OK;
}

// Of what is not known nothing is told.
int FunctionCursor::begin(int count, sqlite3_value** values) {
  place = 0;
  rows.clear();
  arguments.clear();
  for (int i = 0; i < count; ++i) {
    if (!is_number(values[i])) return refuse(*pVtab, kNoNumber);
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return SQLITE_OK;
    arguments.push_back(sqlite3_value_int64(values[i]));
  }
  auto made = function().rows(arguments);
  if (made) {
    rows = std::move(*made);
    return SQLITE_OK;
  }
  function().failure = fail(made.error());
  return SQLITE_ERROR;
}

int FunctionCursor::filter(sqlite3_vtab_cursor* cursor, int /*number*/, const char* /*plan*/,
                           int count, sqlite3_value** values) {
  return guarded([&] { return static_cast<FunctionCursor*>(cursor)->begin(count, values); });
}

int FunctionCursor::next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<FunctionCursor*>(cursor)->place;
  return SQLITE_OK;
}

int FunctionCursor::eof(sqlite3_vtab_cursor* cursor) {
  const auto& self = *static_cast<const FunctionCursor*>(cursor);
  return self.place >= self.rows.size() ? 1 : 0;
}

int FunctionCursor::column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) {
  const auto& self = *static_cast<const FunctionCursor*>(cursor);
  const auto wanted = static_cast<std::size_t>(number);
  const std::size_t columns = self.function().columns.size();
  if (wanted >= columns) {
    sqlite3_result_int64(context, self.arguments[wanted - columns]);
    return SQLITE_OK;
  }
  const RowFunction::Value& value = self.rows[self.place][wanted];
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    sqlite3_result_int64(context, *whole);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_result_text(context, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  } else {
    sqlite3_result_null(context);
  }
  return SQLITE_OK;
}

int FunctionCursor::row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<FunctionCursor*>(cursor)->place);
  return SQLITE_OK;
}

}  // namespace

int add_row_function(sqlite3* connection, RowFunction& function) {
  static const sqlite3_module module = module_of<FunctionVtab, FunctionCursor>();
  return sqlite3_create_module_v2(connection, function.name.c_str(), &module, &function, nullptr);
}

}  // namespace kutrace::query
