// SPDX-License-Identifier: BSD-3-Clause
// Names of tables and their writers.
#include "emit/parquet/tables.h"

#include "emit/parquet/call_table.h"
#include "emit/parquet/loss_table.h"
#include "emit/parquet/meta_table.h"
#include "emit/parquet/parquet.h"
#include "emit/parquet/thread_table.h"
#include "emit/parquet/total_table.h"

namespace kutrace::emit {

std::vector<std::string> parquet_tables() {
  return {"spans", "calls", "threads", "losses", "meta", "totals", std::string(kBlameTable)};
}

std::unique_ptr<ExportSink> parquet_table(std::string_view table, const NameTable& names,
                                          TakeBytes take) {
  if (table == "spans") return std::make_unique<ParquetSink>(names, std::move(take));
  if (table == "calls") return std::make_unique<CallTable>(names, std::move(take));
  if (table == "threads") return std::make_unique<ThreadTable>(names, std::move(take));
  if (table == "losses") return std::make_unique<LossTable>(std::move(take));
  if (table == "meta") return std::make_unique<MetaTable>(std::move(take));
  if (table == "totals") return std::make_unique<TotalTable>(names, std::move(take));
  return nullptr;
}

}  // namespace kutrace::emit
