// SPDX-License-Identifier: BSD-3-Clause
// Raw deflate (RFC 1951), with the CRC-32 of what went in. In: bytes; out: fewer bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"

struct libdeflate_compressor;

namespace kutrace::emit {

struct Deflated {
  std::vector<std::uint8_t> bytes;
  std::uint32_t raw_size = 0;
  std::uint32_t crc = 0;  // of the bytes before compression
};

// Through ISA-L, at a third of the time of other compressors' quickest levels: for all that is
// much. The bytes may differ from processor to processor; what they hold does not.
class QuickDeflater {
 public:
  QuickDeflater();
  ~QuickDeflater();
  Result<Deflated> deflate(std::span<const std::uint8_t> raw);

 private:
  struct Stream;

  std::unique_ptr<Stream> stream_;
  std::vector<std::uint8_t> room_;
};

// Through libdeflate, thoroughly: for what is little, such as headers.
class Deflater {
 public:
  Deflater();
  Result<Deflated> deflate(std::span<const std::uint8_t> raw);

 private:
  struct Free {
    void operator()(libdeflate_compressor* compressor) const;
  };
  std::unique_ptr<libdeflate_compressor, Free> compressor_;
  std::vector<std::uint8_t> room_;
};

// For blocks of which a page has one each: most are small, but those of many threads are not.
class SingleDeflater {
 public:
  Result<Deflated> deflate(std::span<const std::uint8_t> raw) {
    return raw.size() < kLarge ? thorough_.deflate(raw) : quick_.deflate(raw);
  }

 private:
  static constexpr std::size_t kLarge = std::size_t{1} << 16;

  Deflater thorough_;
  QuickDeflater quick_;
};

}  // namespace kutrace::emit
