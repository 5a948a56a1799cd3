// SPDX-License-Identifier: BSD-3-Clause
// Parts of a trace.dat that may be packed: `u32 packed bytes, u32 bytes, data`. In: a cursor that
// stands before one; out: its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "read/import/byte_cursor.h"

namespace kutrace::read {

// Nothing if it is cut, damaged, larger than any such part or than `room`, which becomes less by
// it. `at` goes behind it wherever its length can be believed.
std::optional<MappedFile> unpack_piece(ByteCursor& at, std::uint64_t& room);

}  // namespace kutrace::read
