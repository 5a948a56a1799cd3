// SPDX-License-Identifier: BSD-3-Clause
// One span as one line of upstream's span JSON.
#pragma once

#include <string>
#include <string_view>

#include "model/names.h"
#include "model/span.h"

namespace kutrace::emit {

// Appends "[ts, dur, cpu, pid, rpc, event, arg, retval, ipc, \"name\"],". Times are the span's plus
// `offset`, rounded to 10 ns: neighbours that touch still touch.
void append_span_record(const Span& span, Ns offset, const NameTable& names, std::string& out);

// A record of the row's names of a thread: "a+b+c.pid".
void append_row_name_record(Ns time, Pid pid, std::string_view row_names, std::string& out);

// `text` fit for a JSON string that upstream's makeself pastes into a script as it is: quotes and
// backslashes become '_' as upstream has them, apostrophes and '<' become escapes.
std::string page_safe(std::string_view text);

// Number of 10 ns steps up to `time`, rounded to the nearest.
constexpr std::int64_t json_steps(Ns time) {
  return time >= 0 ? (time + 5) / 10 : -((-time + 5) / 10);
}

}  // namespace kutrace::emit
