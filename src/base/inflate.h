// SPDX-License-Identifier: BSD-3-Clause
// Deflated bytes (RFC 1951, without a header) back to what they were. In: packed bytes, and the
// length and CRC-32 of the result, or for text its greatest length; out: the result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct libdeflate_decompressor;

namespace kutrace {

// CRC-32, the same as gzip's.
std::uint32_t checksum(std::span<const std::uint8_t> bytes);
std::uint32_t checksum(std::string_view text);

class Inflater {
 public:
  Inflater();

  // Nothing if the bytes are no deflated data, or if the result has not `size` bytes with that
  // checksum. The result uses `room`, which saves memory from being made anew.
  std::optional<std::vector<std::uint8_t>> inflate(std::span<const std::uint8_t> packed,
                                                   std::size_t size, std::uint32_t crc,
                                                   std::vector<std::uint8_t> room);
  // The same of bytes that are whole blocks of a longer stream, which goes on behind them.
  std::optional<std::vector<std::uint8_t>> inflate_blocks(std::span<const std::uint8_t> packed,
                                                          std::size_t size, std::uint32_t crc,
                                                          std::vector<std::uint8_t> room);
  // Nothing if the bytes are no deflated text, or if the text is longer than `most` bytes.
  std::optional<std::string> inflate_text(std::span<const std::uint8_t> packed, std::size_t most);

 private:
  struct Free {
    void operator()(libdeflate_decompressor* decompressor) const;
  };
  std::unique_ptr<libdeflate_decompressor, Free> decompressor_;
  std::vector<std::uint8_t> ended_;  // blocks, and an end
};

}  // namespace kutrace
