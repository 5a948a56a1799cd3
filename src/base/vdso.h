// SPDX-License-Identifier: BSD-3-Clause
// The library that the running kernel maps into every 64-bit process: its bytes, as they stand in
// this one. There is no file of it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace kutrace {

// What /proc/PID/maps calls it.
constexpr std::string_view kVdsoPath = "[vdso]";

// The bytes of an ELF file; empty if the kernel maps none.
std::span<const std::byte> own_vdso();

}  // namespace kutrace
