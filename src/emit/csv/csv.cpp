// SPDX-License-Identifier: BSD-3-Clause
// Lines. What is not known is empty.
#include "emit/csv/csv.h"

#include <string_view>

#include "base/text.h"
#include "emit/stream/csv_field.h"

namespace kutrace::emit {

CsvSink::CsvSink(const NameTable& names, TakeBytes take)
    : lines_(std::move(take)),
      fields_(names, [](const std::string& text) { return csv_field(printable(text)); }) {}

void CsvSink::begin(const TraceInfo& /*known*/) {
  lines_.text("start_ns,dur_ns,kind,name,cpu,tid,thread,event,arg,result,rpc,ipc,call_id,to_tid\n");
}

void CsvSink::push(const Span& span) {
  const auto number = [this](auto value) { lines_.number(value).byte(','); };
  const auto text = [this](std::string_view field) { lines_.text(field).byte(','); };
  const NameId thread = threads_.name_at(span);
  number(span.start);
  number(span.duration);
  text(span_kind_name(span.kind));
  text(fields_.of(span.name));
  span.cpu == kNoCpu ? text("") : number(span.cpu);
  span.pid == kNoPid ? text("") : number(span.pid);
  text(fields_.of(thread));
  number(span.event);
  number(static_cast<std::int64_t>(span.arg));
  span.has_result ? number(span.result.value) : text("");
  number(span.rpc);
  number(unsigned{span.ipc});
  span.call == CallId::kNone ? text("") : number(static_cast<std::uint32_t>(span.call));
  if (is_arc(span.kind) && span.other != kNoPid) lines_.number(span.other);
  lines_.byte('\n');
}

Status CsvSink::finish(const TraceInfo& /*info*/) {
  lines_.hand_over();
  return {};
}

}  // namespace kutrace::emit
