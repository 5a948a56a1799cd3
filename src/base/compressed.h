// SPDX-License-Identifier: BSD-3-Clause
// gzip and zstd inputs, recognised by their first bytes: packed bytes enter, the bytes they stand
// for leave. Anything else passes through untouched.
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

// What a packed file may grow to before it is taken for a bomb: traces pack 4 to 60 times.
std::uint64_t unpacked_limit(std::uint64_t packed_bytes);

// Fails if nothing could be unpacked, or if more than `limit` bytes came out.
Result<Unpacked> unpack(MappedFile file, std::uint64_t limit);
Result<Unpacked> unpack(MappedFile file);

}  // namespace kutrace
