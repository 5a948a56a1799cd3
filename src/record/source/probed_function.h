// SPDX-License-Identifier: BSD-3-Clause
// A function of a program or library that is to be seen whenever it is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kutrace::record {

constexpr std::size_t kMostProbedFunctions = 1000;

struct ProbedFunction {
  std::string path;
  std::uint64_t offset = 0;  // of its first instruction, in the file
  std::string name;
};

}  // namespace kutrace::record
