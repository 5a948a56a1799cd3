// SPDX-License-Identifier: BSD-3-Clause
// The metadata of CTF 2: fragments of JSON, each behind a record separator. In: their text; out:
// what they say, or the fragment that is not understood.
#pragma once

#include <string_view>

#include "base/result.h"
#include "read/ctf/ctf_schema.h"

namespace kutrace::read {

constexpr char kRecordSeparator = '\x1e';

Result<CtfSchema> parse_ctf2(std::string_view text);

}  // namespace kutrace::read
