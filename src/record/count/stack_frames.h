// SPDX-License-Identifier: BSD-3-Clause
// The functions of a stack that the programs kept. In: its number in their map; out: names, the
// innermost first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/count/user_code.h"

namespace kutrace::record {

class StackFrames {
 public:
  // The map of stacks; it must stay open.
  explicit StackFrames(int map) : map_(map) {}

  // Before the counting starts, if there will be stacks of programs.
  Status follow_programs();
  void poll() {
    if (programs_) programs_->poll();
  }

  // What the counting itself put on top is left out. One line says why, where there is no stack.
  std::vector<std::string> kernel(std::int64_t stack);
  std::vector<std::string> user(std::int64_t stack, Pid process);

 private:
  std::string kernel_function_at(std::uint64_t address);
  // The frames as `name_of` calls them, or the one line.
  template <typename NameOf>
  std::vector<std::string> frames(std::int64_t stack, const NameOf& name_of) const;

  int map_;
  std::optional<UserCode> programs_;
  std::map<std::uint64_t, std::string> names_;
};

}  // namespace kutrace::record
