// SPDX-License-Identifier: BSD-3-Clause
// Raw traces without the zeros that fill their blocks, so that a fuzzer's inputs stay short: per
// block the number of its words in 2 bytes, then the words. Bytes that remain end the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kutrace::test {

std::vector<std::uint8_t> pack_trace(const std::vector<std::byte>& file);
std::vector<std::byte> unpack_trace(const std::uint8_t* data, std::size_t size);

}  // namespace kutrace::test
