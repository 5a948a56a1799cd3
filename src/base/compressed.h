// SPDX-License-Identifier: BSD-3-Clause
// Inputs packed with gzip or zstd, recognised by their first bytes. In: a file; out: what it holds
// unpacked; a file of another form as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/mapped_file.h"
#include "base/result.h"

namespace kutrace {

enum class Packing { kNone, kGzip, kZstd };

Packing packing_of(std::span<const std::byte> bytes);

struct Unpacked {
  MappedFile file;
  bool cut = false;  // the packed data ends or breaks early; `file` holds what came before
};

// How many bytes a packed file may grow to before it is taken for a bomb. Traces grow 4 to 60
// times.
std::uint64_t unpacked_limit(std::uint64_t packed_bytes);

// Fails if nothing could be unpacked, or if more than `limit` bytes come out (without one:
// unpacked_limit()).
Result<Unpacked> unpack(MappedFile file, std::uint64_t limit);
Result<Unpacked> unpack(MappedFile file);

}  // namespace kutrace
