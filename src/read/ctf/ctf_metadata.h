// SPDX-License-Identifier: BSD-3-Clause
// The file `metadata` of a CTF trace. In: its bytes, in packets or not, of CTF 1.8 or CTF 2; out:
// what they describe, ready to read by.
#pragma once

#include <string_view>

#include "base/mapped_file.h"
#include "base/result.h"
#include "read/ctf/ctf_schema.h"

namespace kutrace::read {

// Whether a file that begins like this is one.
bool is_ctf_metadata(std::string_view bytes);

Result<CtfSchema> read_ctf_metadata(const MappedFile& file);

}  // namespace kutrace::read
