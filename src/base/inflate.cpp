// SPDX-License-Identifier: BSD-3-Clause
// Raw deflate through libdeflate, see inflate.h.
#include "base/inflate.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kutrace {

namespace {

constexpr std::size_t kFirstRoom = std::size_t{1} << 16;
// Of a stream: the last block, fixed codes, the end of the block.
constexpr std::array<std::uint8_t, 2> kEmptyLastBlock{0x03, 0x00};

}  // namespace

std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

std::uint32_t checksum(std::string_view text) {
  return checksum({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void Inflater::Free::operator()(libdeflate_decompressor* decompressor) const {
  libdeflate_free_decompressor(decompressor);
}

Inflater::Inflater() : decompressor_(libdeflate_alloc_decompressor()) {}

std::optional<std::vector<std::uint8_t>> Inflater::inflate(std::span<const std::uint8_t> packed,
                                                           std::size_t size, std::uint32_t crc,
                                                           std::vector<std::uint8_t> room) {
  if (!decompressor_) return std::nullopt;
  room.resize(size);
  std::size_t used = 0;
  std::size_t made = 0;
  const libdeflate_result done = libdeflate_deflate_decompress_ex(
      decompressor_.get(), packed.data(), packed.size(), room.data(), room.size(), &used, &made);
  const bool whole = done == LIBDEFLATE_SUCCESS && used == packed.size() && made == size;
  if (!whole || checksum(room) != crc) return std::nullopt;
  return room;
}

std::optional<std::vector<std::uint8_t>> Inflater::inflate_blocks(
    std::span<const std::uint8_t> packed, std::size_t size, std::uint32_t crc,
    std::vector<std::uint8_t> room) {
  ended_.assign(packed.begin(), packed.end());
  ended_.insert(ended_.end(), kEmptyLastBlock.begin(), kEmptyLastBlock.end());
  return inflate(ended_, size, crc, std::move(room));
}

std::optional<std::string> Inflater::inflate_text(std::span<const std::uint8_t> packed,
                                                  std::size_t most) {
  if (!decompressor_) return std::nullopt;
  std::string out;
  std::size_t room = std::min(most, std::max(kFirstRoom, 4 * packed.size()));
  for (;;) {
    out.resize(room);
    std::size_t made = 0;
    const libdeflate_result done = libdeflate_deflate_decompress(
        decompressor_.get(), packed.data(), packed.size(), out.data(), out.size(), &made);
    out.resize(made);
    if (done == LIBDEFLATE_SUCCESS) return out;
    if (done != LIBDEFLATE_INSUFFICIENT_SPACE || room == most) return std::nullopt;
    room = std::min(most, 2 * room);
  }
}

}  // namespace kutrace
