// SPDX-License-Identifier: BSD-3-Clause
// What the nibbles of a trailer mean (doc/trace-format.md).
#pragma once

#include <array>
#include <cstdint>

namespace kutrace {

// The middle of each nibble's range, in sixteenths of an instruction per cycle.
constexpr std::array<std::uint8_t, 16> kIpcMiddles = {1,  3,  5,  7,  9,  11, 13, 15,
                                                      18, 22, 26, 30, 36, 44, 52, 60};

}  // namespace kutrace
