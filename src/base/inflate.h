// SPDX-License-Identifier: BSD-3-Clause
// Raw deflate (RFC 1951) back to bytes whose number and CRC-32 are known beforehand, and to text of
// which only the most is known.
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

// CRC-32 as gzip has it.
std::uint32_t checksum(std::span<const std::uint8_t> bytes);
std::uint32_t checksum(std::string_view text);

class Inflater {
 public:
  Inflater();

  // Nothing if the bytes are not what was deflated, or not `size` of them with that checksum. They
  // come in `room`, which saves new memory where it has held as many before.
  std::optional<std::vector<std::uint8_t>> inflate(std::span<const std::uint8_t> packed,
                                                   std::size_t size, std::uint32_t crc,
                                                   std::vector<std::uint8_t> room);
  // The same of bytes that are whole blocks of a longer stream, which goes on behind them.
  std::optional<std::vector<std::uint8_t>> inflate_blocks(std::span<const std::uint8_t> packed,
                                                          std::size_t size, std::uint32_t crc,
                                                          std::vector<std::uint8_t> room);
  // Nothing if they are no deflated text, or one of more than `most` bytes.
  std::optional<std::string> inflate_text(std::span<const std::uint8_t> packed, std::size_t most);

 private:
  struct Free {
    void operator()(libdeflate_decompressor* decompressor) const;
  };
  std::unique_ptr<libdeflate_decompressor, Free> decompressor_;
  std::vector<std::uint8_t> ended_;  // blocks, and an end
};

}  // namespace kutrace
