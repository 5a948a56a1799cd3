// SPDX-License-Identifier: BSD-3-Clause
// Packing and unpacking.
#include "fuzz/packed_trace.h"

#include <algorithm>
#include <cstring>

#include "kutrace/abi.h"

namespace kutrace::test {

namespace {

constexpr std::size_t kMostBlocks = 24;

}  // namespace

std::vector<std::uint8_t> pack_trace(const std::vector<std::byte>& file) {
  std::vector<std::uint8_t> packed;
  for (std::size_t at = 0; at + KUTRACE_BLOCK_BYTES <= file.size(); at += KUTRACE_BLOCK_BYTES) {
    const auto* block = reinterpret_cast<const std::uint8_t*>(file.data()) + at;
    std::size_t bytes = KUTRACE_BLOCK_BYTES;
    while (bytes > 0 && block[bytes - 1] == 0) --bytes;
    const std::size_t words = (bytes + 7) / 8;
    packed.push_back(static_cast<std::uint8_t>(words & 0xff));
    packed.push_back(static_cast<std::uint8_t>(words >> 8));
    packed.insert(packed.end(), block, block + 8 * words);
  }
  return packed;
}

std::vector<std::byte> unpack_trace(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> file;
  std::size_t at = 0;
  for (std::size_t block = 0; block < kMostBlocks && at + 2 <= size; ++block) {
    const std::size_t words = (data[at] | std::size_t{data[at + 1]} << 8) % KUTRACE_BLOCK_WORDS;
    at += 2;
    const std::size_t bytes = std::min(8 * words, size - at);
    file.resize(file.size() + KUTRACE_BLOCK_BYTES);
    if (bytes != 0) std::memcpy(file.data() + file.size() - KUTRACE_BLOCK_BYTES, data + at, bytes);
    at += bytes;
  }
  for (; at < size; ++at) file.push_back(static_cast<std::byte>(data[at]));
  return file;
}

}  // namespace kutrace::test
