// SPDX-License-Identifier: BSD-3-Clause
// A row for each loss.
#include "emit/parquet/loss_table.h"

#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::emit {

using enum ParquetColumn::Type;

LossTable::LossTable(TakeBytes take)
    : file_("losses",
            {{"start_ns", kInt64},
             {"dur_ns", kInt64},
             {"wall", kMicroseconds, true},
             {"cpu", kInt32},
             {"reason", kText},
             {"entries", kInt64, true}},
            std::move(take)) {}

Status LossTable::finish(const TraceInfo& info) {
  for (const LossRecord& loss : info.losses) {
    file_.row()
        .number(loss.begin)
        .number(loss.end - loss.begin)
        .wall(loss.begin)
        .number(loss.cpu)
        .text(loss.reason, loss_reason_name(loss.reason))
        .number_if(loss.entries != KUTRACE_LOSS_UNKNOWN_COUNT,
                   static_cast<std::int64_t>(loss.entries))
        .end_row();
  }
  return file_.finish(info);
}

}  // namespace kutrace::emit
