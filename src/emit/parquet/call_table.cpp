// SPDX-License-Identifier: BSD-3-Clause
// A row for each call.
#include "emit/parquet/call_table.h"

#include "format/errno_name.h"

namespace kutrace::emit {

using enum ParquetColumn::Type;

CallTable::CallTable(const NameTable& names, TakeBytes take)
    : names_(names),
      file_("calls",
            {{"id", kInt64},
             {"parent_id", kInt64, true},
             {"start_ns", kInt64},
             {"dur_ns", kInt64},
             {"wall", kMicroseconds, true},
             {"kind", kText},
             {"name", kText},
             {"cpu", kInt32, true},
             {"tid", kInt32},
             {"thread", kText},
             {"arg", kInt64},
             {"result", kInt64, true},
             {"error", kText, true},
             {"file", kText, true},
             {"own_ns", kInt64},
             {"on_cpu_ns", kInt64},
             {"wait_ns", kInt64},
             {"ready_ns", kInt64},
             {"unknown_ns", kInt64},
             {"begin_inferred", kInt32},
             {"end_inferred", kInt32}},
            std::move(take)) {}

void CallTable::call(const Call& call) {
  const NameId thread = threads_.name_of(call.pid);
  const std::string_view error = call.kind == SpanKind::kSyscall && call.has_result
                                     ? errno_name(call.result.value)
                                     : std::string_view();
  const NameId file = call.details == nullptr ? kNoName : call.details->file;
  file_.row()
      .number(static_cast<std::int64_t>(call.id))
      .number_if(call.parent != CallId::kNone, static_cast<std::int64_t>(call.parent))
      .number(call.begin)
      .number(call.duration())
      .wall(call.begin)
      .text(static_cast<std::uint64_t>(call.kind), span_kind_name(call.kind))
      .text(call.name, names_.text(call.name))
      .number_if(call.cpu != kNoCpu, call.cpu)
      .number(call.pid)
      .text(thread, names_.text(thread))
      .number(static_cast<std::int64_t>(call.arg))
      .number_if(call.has_result, call.result.value)
      .text_if(!error.empty(), static_cast<std::uint64_t>(-call.result.value), error)
      .text_if(file != kNoName, file, names_.text(file))
      .number(call.own)
      .number(call.on_cpu)
      .number(call.blocked)
      .number(call.ready())
      .number(call.unknown())
      .number(call.begin_inferred ? 1 : 0)
      .number(call.end_inferred ? 1 : 0)
      .end_row();
}

}  // namespace kutrace::emit
