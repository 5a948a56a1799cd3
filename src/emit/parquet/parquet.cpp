// SPDX-License-Identifier: BSD-3-Clause
// A row for each span.
#include "emit/parquet/parquet.h"

namespace kutrace::emit {

using enum ParquetColumn::Type;
using enum ParquetColumn::Numbers;

ParquetSink::ParquetSink(const NameTable& names, TakeBytes take)
    : names_(names),
      file_("spans",
            {{"start_ns", kInt64},
             {"dur_ns", kInt64},
             {"wall", kMicroseconds, true},
             {"kind", kText},
             {"name", kText},
             {"cpu", kInt32, true, kRepeat},
             {"tid", kInt32, true, kRepeat},
             {"thread", kText},
             {"event", kInt64, false, kRepeat},
             {"arg", kInt64},
             {"result", kInt64, true},
             {"rpc", kInt64},
             {"ipc", kInt32},
             {"call_id", kInt64, true},
             {"to_tid", kInt32, true}},
            std::move(take)) {}

void ParquetSink::push(const Span& span) {
  const NameId thread = threads_.name_at(span);
  file_.row()
      .number(span.start)
      .number(span.duration)
      .wall(span.start)
      .text(static_cast<std::uint64_t>(span.kind), span_kind_name(span.kind))
      .text(span.name, names_.text(span.name))
      .number_if(span.cpu != kNoCpu, span.cpu)
      .number_if(span.pid != kNoPid, span.pid)
      .text(thread, names_.text(thread))
      .number(span.event)
      .number(static_cast<std::int64_t>(span.arg))
      .number_if(span.has_result, span.result.value)
      .number(span.rpc)
      .number(span.ipc)
      .number_if(span.call != CallId::kNone, static_cast<std::int64_t>(span.call))
      .number_if(is_arc(span.kind) && span.other != kNoPid, span.other)
      .end_row();
}

}  // namespace kutrace::emit
