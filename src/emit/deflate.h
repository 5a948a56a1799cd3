// SPDX-License-Identifier: BSD-3-Clause
// Raw deflate (RFC 1951) and CRC-32 through libdeflate. In: bytes; out: fewer bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"

struct libdeflate_compressor;

namespace kutrace {

struct Deflated {
  std::vector<std::uint8_t> bytes;
  std::uint32_t raw_size = 0;
  std::uint32_t crc = 0;  // of the bytes before compression
};

class Deflater {
 public:
  Deflater();
  Result<Deflated> deflate(std::span<const std::uint8_t> raw);

 private:
  struct Free {
    void operator()(libdeflate_compressor* compressor) const;
  };
  std::unique_ptr<libdeflate_compressor, Free> compressor_;
};

}  // namespace kutrace
