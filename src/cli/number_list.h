// SPDX-License-Identifier: BSD-3-Clause
// Lists of numbers on the command line: "0-3,8".
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "base/result.h"

namespace kutrace::cli {

template <typename Number>
Result<std::unordered_set<Number>> parse_number_list(std::string_view text);

extern template Result<std::unordered_set<std::uint32_t>> parse_number_list(std::string_view);
extern template Result<std::unordered_set<std::int32_t>> parse_number_list(std::string_view);

}  // namespace kutrace::cli
