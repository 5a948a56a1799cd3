// SPDX-License-Identifier: BSD-3-Clause
// The metadata of CTF 1.8, as LTTng, perf, barectf and babeltrace write them. In: their text, in
// TSDL; out: what they say, or the line that is not understood.
#pragma once

#include <string_view>

#include "base/result.h"
#include "read/ctf/ctf_schema.h"

namespace kutrace::read {

Result<CtfSchema> parse_tsdl(std::string_view text);

}  // namespace kutrace::read
