// SPDX-License-Identifier: BSD-3-Clause
// Where variables of the running kernel stand, by their names.
#pragma once

#include <cstdint>
#include <istream>
#include <string_view>
#include <vector>

namespace kutrace::record {

// In lines as /proc/kallsyms has them; 0 for one that is not there, or hidden.
std::vector<std::uint64_t> addresses_in(std::istream& symbols,
                                        const std::vector<std::string_view>& names);

// Of this kernel. It takes tens of milliseconds.
std::vector<std::uint64_t> kernel_addresses(const std::vector<std::string_view>& names);

}  // namespace kutrace::record
