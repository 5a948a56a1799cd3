// SPDX-License-Identifier: BSD-3-Clause
// Which sums a trace's tables are offered with. In: the tables; out: descriptions of the sums.
#pragma once

#include <vector>

#include "query/totals.h"
#include "query/trace_tables.h"

namespace kutrace::query {

std::vector<Totals> totals_of(const TraceTables& tables);

}  // namespace kutrace::query
