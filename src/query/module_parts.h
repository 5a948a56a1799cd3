// SPDX-License-Identifier: BSD-3-Clause
// What modules of SQLite share: results of columns, declarations, and exceptions that stay inside.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "query/table.h"

namespace kutrace::query {

// Runs `work`, which gives a code of SQLite.
template <typename Work>
int guarded(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

inline void give(sqlite3_context* context, ColumnType type, std::int64_t value,
                 const Texts& texts) {
  if (value == kNull) return sqlite3_result_null(context);
  if (type == ColumnType::kInteger) return sqlite3_result_int64(context, value);
  const std::string& text = texts.text(static_cast<NameId>(value));
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

// What tables that take numbers say of another argument.
constexpr const char* kNoNumber = "a table that takes numbers has something else";

// Null is one that is not known.
inline bool is_number(sqlite3_value* value) {
  const int type = sqlite3_value_numeric_type(value);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT || type == SQLITE_NULL;
}

inline int refuse(sqlite3_vtab& table, const char* why) {
  sqlite3_free(table.zErrMsg);
  table.zErrMsg = sqlite3_mprintf("%s", why);
  return SQLITE_ERROR;
}

inline std::string declaration(std::string_view name, ColumnType type) {
  return std::string(name) + (type == ColumnType::kText ? " TEXT" : " INTEGER");
}

// Costs of SQLite's planner: a row that is handed out is 1.
constexpr double kCostOfScannedRow = 0.02;
constexpr double kShareOfEqual = 0.05;
constexpr double kShareOfRange = 0.25;

// A copy that SQLite frees; null where there is no memory.
inline char* plan_copy(const std::string& text) { return sqlite3_mprintf("%s", text.c_str()); }

// Of all calls of a module, those that no table of a trace needs are left out.
template <typename Table, typename Cursor>
sqlite3_module module_of() {
  sqlite3_module module{};
  module.iVersion = 1;
  module.xConnect = Table::connect;
  module.xBestIndex = Table::best_index;
  module.xDisconnect = Table::disconnect;
  module.xOpen = Cursor::open;
  module.xClose = Cursor::close;
  module.xFilter = Cursor::filter;
  module.xNext = Cursor::next;
  module.xEof = Cursor::eof;
  module.xColumn = Cursor::column;
  module.xRowid = Cursor::row_id;
  return module;
}

}  // namespace kutrace::query
