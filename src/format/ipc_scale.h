// SPDX-License-Identifier: BSD-3-Clause
// What the nibbles of a trailer stand for, see doc/trace-format.md.
#pragma once

#include <array>
#include <cstdint>

namespace kutrace {

// Middle of each step of instructions per cycle, in sixteenths.
constexpr std::array<std::uint8_t, 16> kIpcMiddles = {1,  3,  5,  7,  9,  11, 13, 15,
                                                      18, 22, 26, 30, 36, 44, 52, 60};

}  // namespace kutrace
