// SPDX-License-Identifier: BSD-3-Clause
// Lines. What is not known is empty.
#include "emit/csv/csv.h"

#include <fmt/format.h>

#include <iterator>

#include "base/text.h"
#include "emit/stream/csv_field.h"

namespace kutrace::emit {

CsvSink::CsvSink(const NameTable& names, TakeBytes take)
    : take_(std::move(take)),
      fields_(names, [](const std::string& text) { return csv_field(printable(text)); }) {}

void CsvSink::begin(const TraceInfo& /*known*/) {
  take_("start_ns,dur_ns,kind,name,cpu,tid,thread,event,arg,result,rpc,ipc,call_id,to_tid\n");
}

void CsvSink::push(const Span& span) {
  line_.clear();
  const auto out = std::back_inserter(line_);
  const std::string thread = fields_.of(threads_.name_at(span));
  fmt::format_to(out, "{},{},{},{},", span.start, span.duration, span_kind_name(span.kind),
                 fields_.of(span.name));
  if (span.cpu != kNoCpu) fmt::format_to(out, "{}", span.cpu);
  line_ += ',';
  if (span.pid != kNoPid) fmt::format_to(out, "{}", span.pid);
  fmt::format_to(out, ",{},{},{},", thread, span.event, static_cast<std::int64_t>(span.arg));
  if (span.has_result) fmt::format_to(out, "{}", span.result.value);
  fmt::format_to(out, ",{},{},", span.rpc, span.ipc);
  if (span.call != CallId::kNone) fmt::format_to(out, "{}", static_cast<std::uint32_t>(span.call));
  line_ += ',';
  if (is_arc(span.kind) && span.other != kNoPid) fmt::format_to(out, "{}", span.other);
  line_ += '\n';
  take_(line_);
}

Status CsvSink::finish(const TraceInfo& /*info*/) { return {}; }

}  // namespace kutrace::emit
