// SPDX-License-Identifier: BSD-3-Clause
// The functions of a stack that the programs kept. In: its number in their map; out: names, the
// innermost first.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "format/kallsyms.h"

namespace kutrace::record {

class StackFrames {
 public:
  // The map of stacks; it must stay open.
  explicit StackFrames(int map) : map_(map) {}

  // What the counting itself put on top is left out. One line says why, where there is no stack.
  std::vector<std::string> kernel(std::int64_t stack);

 private:
  std::string function_at(std::uint64_t address);

  int map_;
  std::map<std::uint64_t, std::string> names_;
};

}  // namespace kutrace::record
