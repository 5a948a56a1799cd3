// SPDX-License-Identifier: BSD-3-Clause
// Whose numbers system calls have in a trace that does not name its machine. In: calls by number
// and name; out: the machine that numbers them so.
#pragma once

#include <string_view>
#include <vector>

namespace kutrace::emit {

class CallNumbers {
 public:
  // Whether the machine, which is found by the first call that tells it, numbers this name so.
  bool has(unsigned number, std::string_view name);
  // Empty: not found yet.
  std::string_view machine() const { return machine_; }

 private:
  std::string_view machine_;
  std::vector<std::string_view> names_;  // by number
};

}  // namespace kutrace::emit
