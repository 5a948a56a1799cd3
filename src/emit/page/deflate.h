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

struct DeflatedSize {
  std::uint32_t packed = 0;
  std::uint32_t raw = 0;
  std::uint32_t crc = 0;  // of the bytes before compression
};

struct Deflated {
  std::vector<std::uint8_t> bytes;
  std::uint32_t raw_size = 0;
  std::uint32_t crc = 0;             // of the bytes before compression
  std::vector<DeflatedSize> pieces;  // where it was cut
};

// Bytes to be written, which take memory when they are.
struct DeflateRoom {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t size = 0;

  void reach(std::size_t wanted) {
    if (size >= wanted) return;
    bytes = std::make_unique_for_overwrite<std::uint8_t[]>(wanted);
    size = wanted;
  }
  std::span<const std::uint8_t> first(std::size_t count) const { return {bytes.get(), count}; }
};

// Through ISA-L, at a third of the time of other compressors' quickest levels: for all that is
// much. The bytes may differ from processor to processor, and where ISA-L is missing and zlib does
// it; what they hold does not.
class QuickDeflater {
 public:
  QuickDeflater();
  ~QuickDeflater();
  Result<Deflated> deflate(std::span<const std::uint8_t> raw);
  // Cut, in front of each of these places, into pieces that can be unpacked by themselves: they
  // begin at a byte of the stream and refer to nothing in front of them.
  Result<Deflated> deflate(std::span<const std::uint8_t> raw, std::span<const std::size_t> cuts);

 private:
  struct Stream;

  // Behind the first `used` bytes of the room; how many it took, 0 if it was refused.
  std::size_t add(std::span<const std::uint8_t> raw, std::size_t used, bool last);

  std::unique_ptr<Stream> stream_;
  DeflateRoom room_;
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
  DeflateRoom room_;
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
