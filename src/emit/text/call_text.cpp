// SPDX-License-Identifier: BSD-3-Clause
// Lines of calls.
#include "emit/text/call_text.h"

#include <fmt/format.h>

#include "base/append_format.h"
#include "base/text.h"
#include "format/event_table.h"

namespace kutrace::emit {

std::string call_line(const Call& call, const NameTable& names) {
  std::string line = fmt::format(
      "{} {} {} {} {} {:x} {} {} {} {} {} {} {} \"{}\"", call.begin, call.duration(),
      call.cpu == kNoCpu ? "-" : fmt::format("{}", call.cpu), call.pid, span_kind_name(call.kind),
      call.event, call.arg, call.has_result ? fmt::format("{}", call.result.value) : "-", call.own,
      call.on_cpu, call.pieces, static_cast<std::uint32_t>(call.id),
      static_cast<std::uint32_t>(call.parent), json_escaped(names.text(call.name)));
  for (const WaitTime& wait : call.waits) {
    append_format(line, " {}={}", wait_name(wait.letter), wait.time);
  }
  if (call.unknown() != 0) append_format(line, " unknown={}", call.unknown());
  if (call.begin_inferred) line += " begin=inferred";
  if (call.end_inferred) line += " end=inferred";
  return line;
}

}  // namespace kutrace::emit
