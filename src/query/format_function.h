// SPDX-License-Identifier: BSD-3-Clause
// printf(text, ...) and format(text, ...) as SQLite has them, with an end: a field cannot be wider
// than the longest text. In: a connection; out: SQLite's code.
#pragma once

#include <sqlite3.h>

namespace kutrace::query {

int add_format(sqlite3* connection);

}  // namespace kutrace::query
