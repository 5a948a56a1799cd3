// SPDX-License-Identifier: BSD-3-Clause
// A row for each reason and cause.
#include "emit/parquet/blame_table.h"

#include "emit/parquet/parquet_file.h"
#include "format/wait_word.h"
#include "model/names.h"

namespace kutrace::emit {

using enum ParquetColumn::Type;

Status write_blame_table(const reports::Blame& blame, const CauseWords& words,
                         const TraceInfo& info, TakeBytes take) {
  ParquetFile file("blame",
                   {{"wait", kText},
                    {"cause", kText},
                    {"text", kText},
                    {"waits", kInt64},
                    {"total_ns", kInt64},
                    {"longest_ns", kInt64},
                    {"wall", kMicroseconds, true}},
                   std::move(take));
  file.begin(info);
  NameTable texts;
  for (const reports::BlameRow& row : blame.rows) {
    const std::string text = words(row.cause);
    file.row()
        .text(static_cast<unsigned char>(row.letter), short_wait(row.letter))
        .text(static_cast<std::uint64_t>(row.cause.kind), reports::cause_name(row.cause.kind))
        .text(texts.intern(text), text)
        .number(static_cast<std::int64_t>(row.waits))
        .number(row.total)
        .number(row.longest)
        .wall(info.begin)
        .end_row();
  }
  return file.finish(info);
}

}  // namespace kutrace::emit
