// SPDX-License-Identifier: BSD-3-Clause
// What waits went to, as rows of a Parquet file. In: sums of a whole trace and their words; out:
// bytes. The columns are called as those of `kutrace blame --format csv`.
#pragma once

#include <functional>
#include <string>

#include "emit/stream/export_sink.h"
#include "reports/blame.h"

namespace kutrace::emit {

using CauseWords = std::function<std::string(const reports::Cause&)>;

Status write_blame_table(const reports::Blame& blame, const CauseWords& words,
                         const TraceInfo& info, TakeBytes take);

}  // namespace kutrace::emit
