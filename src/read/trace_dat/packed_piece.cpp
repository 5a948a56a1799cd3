// SPDX-License-Identifier: BSD-3-Clause
// Unpacking one part.
#include "read/trace_dat/packed_piece.h"

#include <utility>

#include "base/compressed.h"

namespace kutrace::read {

namespace {

constexpr std::uint32_t kMostBytes = 1U << 28;

}  // namespace

std::optional<MappedFile> unpack_piece(ByteCursor& at, std::uint64_t& room) {
  const std::uint32_t packed = at.u32();
  const std::uint32_t size = at.u32();
  const std::span<const std::byte> bytes = at.take(packed);
  const bool is_small = size <= kMostBytes && size <= room;
  if (at.failed() || !is_small || packing_of(bytes) != Packing::kZstd) return std::nullopt;
  auto unpacked = unpack(MappedFile::from_bytes({bytes.begin(), bytes.end()}, "part"), size);
  if (!unpacked || unpacked->cut || unpacked->file.bytes().size() != size) return std::nullopt;
  room -= size;
  return std::move(unpacked->file);
}

}  // namespace kutrace::read
