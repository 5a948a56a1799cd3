// SPDX-License-Identifier: BSD-3-Clause
// The tables that a trace can be written as, a Parquet file each. In: a table's name; out: what
// takes the trace.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emit/stream/export_sink.h"
#include "model/names.h"

namespace kutrace::emit {

// Its rows come of sums that may need the trace twice: write_blame_table.
constexpr std::string_view kBlameTable = "blame";

// All of them.
std::vector<std::string> parquet_tables();
// One that a single reading fills: any but kBlameTable; null: there is none of that name.
std::unique_ptr<ExportSink> parquet_table(std::string_view table, const NameTable& names,
                                          TakeBytes take);

}  // namespace kutrace::emit
