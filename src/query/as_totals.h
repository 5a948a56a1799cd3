// SPDX-License-Identifier: BSD-3-Clause
// A statement that sums up the rows of one table, asked of its table of totals, where it says the
// same: SQLite would be handed the rows one by one. In: a statement that SQLite understands; out:
// one that gives the same rows, its columns perhaps named otherwise; none where it asks for more
// than how many there are, and sums, least and greatest of what totals have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/totals.h"

namespace kutrace::query {

std::optional<std::string> as_totals(std::string_view sql, const std::vector<Totals>& totals);

}  // namespace kutrace::query
