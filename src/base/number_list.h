// SPDX-License-Identifier: BSD-3-Clause
// In: a list of numbers and ranges as people and the kernel write it, "0-3,8"; out: 0 1 2 3 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace kutrace {

struct NumberLimits {
  std::uint32_t largest = 0;
  std::size_t most = 0;  // numbers in a list
};

struct NumberList {
  std::vector<std::uint32_t> numbers;  // those before the first fault
  bool whole = false;                  // the text was a list within the limits
};

NumberList read_number_list(std::string_view text, const NumberLimits& limits);

// The CPU numbers before the first fault in the text; no kernel is built for more than 8192 CPUs.
std::vector<CpuId> parse_cpu_list(std::string_view text);

}  // namespace kutrace
